import { afterAll, afterEach, expect } from 'vitest';
import { takeComplaints } from './complaints.ts';

// Runs after each test that opens a page: a console warning or error fails the test.
afterEach(() => {
  expect(takeComplaints(), 'complaints of the pages').toEqual([]);
});
// Drops messages about a server that a file stops at its end; otherwise the next file in the same worker would fail.
afterAll(() => void takeComplaints());
