import { afterAll, afterEach, expect } from 'vitest';
import { takeComplaints } from './complaints.ts';

// Of every test that opens a page: what a visitor would find in the console is a fault, whatever the test is about.
afterEach(() => {
  expect(takeComplaints(), 'complaints of the pages').toEqual([]);
});
// What pages say while a file ends and takes their server away is no fault of the next file in the same worker.
afterAll(() => void takeComplaints());
