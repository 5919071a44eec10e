import { expect, test } from 'vitest';
import { beginDashboard, reduceDashboard } from './dashboard-state.ts';

const empty = beginDashboard<string>(null);
const loaded = reduceDashboard(empty, { type: 'loaded', rows: 'rows', at: 1000 });

test('a load ends with data or with its reason, and can be tried again', () => {
  const loading = reduceDashboard(empty, { type: 'started', at: 0 });
  expect(loading).toEqual({ phase: 'loading', nextRefreshAt: 3_600_000 });
  const failed = reduceDashboard(loading, { type: 'failed', message: 'No answer', at: 5 });
  expect(failed).toEqual({
    phase: 'failed',
    failure: { message: 'No answer', at: 5 },
    nextRefreshAt: 3_600_000,
  });
  expect(reduceDashboard(failed, { type: 'started', at: 9 }).phase).toBe('loading');
});

test('data sets the next refresh an hour ahead', () => {
  expect(loaded).toMatchObject({ phase: 'loaded', nextRefreshAt: 3_601_000, refreshing: false });
  expect(beginDashboard({ rows: 'rows', at: 1000 })).toEqual(loaded);
});

test('a refresh that fails leaves the data standing and says why', () => {
  const refreshing = reduceDashboard(loaded, { type: 'started', at: 2000 });
  expect(refreshing).toMatchObject({ phase: 'loaded', refreshing: true });
  const failed = reduceDashboard(refreshing, { type: 'failed', message: 'No answer', at: 2500 });
  expect(failed).toMatchObject({
    phase: 'loaded',
    loaded: { rows: 'rows', at: 1000 },
    refreshing: false,
    failure: { message: 'No answer', at: 2500 },
    nextRefreshAt: 3_601_000,
  });
  expect(reduceDashboard(failed, { type: 'loaded', rows: 'new', at: 3000 })).toMatchObject({
    failure: null,
    refreshed: true,
  });
});

test('a refresh that was due and fails is tried again after a minute', () => {
  const failed = reduceDashboard(loaded, { type: 'failed', message: 'No answer', at: 3_601_000 });
  expect(failed.nextRefreshAt).toBe(3_661_000);
});
