import { afterAll, afterEach, expect } from 'vitest';
import { takeComplaints } from './complaints.ts';

// Runs after every test that opens a page: a warning or error in the console fails the test.
afterEach(() => {
  expect(takeComplaints(), 'complaints of the pages').toEqual([]);
});
// Drops messages about a server that a file stops at its end, so that the next file in the same worker does not fail.
afterAll(() => void takeComplaints());
