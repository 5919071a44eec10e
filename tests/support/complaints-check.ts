import { afterEach, expect } from 'vitest';
import { takeComplaints } from './complaints.ts';

// Of every test that opens a page: what a visitor would find in the console is a fault, whatever the test is about.
afterEach(() => {
  expect(takeComplaints(), 'complaints of the pages').toEqual([]);
});
