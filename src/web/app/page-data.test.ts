import { expect, test } from 'vitest';
import { EMPTY } from '#tests/support/dashboard-rows.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { readPageData } from './page-data.ts';

const at = Date.parse('2026-11-13T21:30:00Z');
const view = dashboardView(EMPTY, at);
const read = (data: unknown) => readPageData(JSON.stringify(data));

test('a page starts with its own data', () => {
  expect(read({ view, at })).toEqual({ view, at });
});

test('a page from a server without its database is stale', () => {
  expect(read({ view, at, isStale: true })).toEqual({ view, at, isStale: true });
  expect(read({ view, at, isStale: 'no' })).toEqual({ view, at });
});

test.each(['record', 'risk'])('a page with a text about its %s keeps it', (name) => {
  expect(read({ view, at, [name]: 'On record' })).toEqual({ view, at, [name]: 'On record' });
  expect(read({ view, at, [name]: null })).toEqual({ view, at });
  expect(read({ view, at, [name]: 5 })).toEqual({ view, at });
});

test('a page without data starts by loading', () => {
  expect(readPageData(null)).toBeNull();
});

test.each([
  ['cut off', '{"view":{"age":'],
  ['empty', ''],
  ['no object', '"view"'],
  ['null', 'null'],
  ['without a view', JSON.stringify({ at })],
  ['without its time', JSON.stringify({ view })],
  ['of no time', JSON.stringify({ view, at: 'now' })],
  ['of a time before 1970', JSON.stringify({ view, at: -1 })],
  ['without a part of the view', JSON.stringify({ view: { ...view, signal: undefined }, at })],
  ['with null for a required part', JSON.stringify({ view: { ...view, hours: null }, at })],
  ['with a text for a required part', JSON.stringify({ view: { ...view, signal: 'BUY' }, at })],
])('ignores page data %s, so that the page reads by itself', (_, text) => {
  expect(readPageData(text)).toBeNull();
});
