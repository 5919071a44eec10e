import { expect, test } from 'vitest';
import { EMPTY } from '#tests/support/dashboard-rows.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { beginDashboard, type Failure, reduceDashboard } from './dashboard-state.ts';
import type { Loaded } from './dependencies.ts';

const view = dashboardView(EMPTY, 0);
const at = (time: number) => ({ view, at: time });
const failureAt = (at: number): Failure => ({ message: 'No answer', at, offline: false });

const empty = beginDashboard(null);
const loaded = reduceDashboard(empty, { type: 'loaded', loaded: at(1000), at: 1000 });

test('a load ends with data or with a reason, after which it can be retried [S4.1]', () => {
  const loading = reduceDashboard(empty, { type: 'started', at: 0 });
  expect(loading).toEqual({ phase: 'loading', nextRefreshAt: 3_600_000 });
  const failed = reduceDashboard(loading, { type: 'failed', failure: failureAt(5), kept: null });
  expect(failed).toEqual({ phase: 'failed', failure: failureAt(5), nextRefreshAt: 3_600_000 });
  expect(reduceDashboard(failed, { type: 'started', at: 9 }).phase).toBe('loading');
});

test('sets the next refresh an hour after the data [S4.2] [S9.1]', () => {
  expect(loaded).toMatchObject({ phase: 'loaded', nextRefreshAt: 3_601_000, refreshing: false });
});

test('keeps the time of data that are older than their load', () => {
  const stale = { ...at(1000), isStale: true };
  const shown = reduceDashboard(loaded, { type: 'loaded', loaded: stale, at: 265_000 });
  expect(shown).toMatchObject({ loaded: stale, nextRefreshAt: 3_865_000, failure: null });
  const back = reduceDashboard(shown, { type: 'loaded', loaded: at(300_000), at: 300_000 });
  expect(back).toMatchObject({ loaded: at(300_000), nextRefreshAt: 3_900_000 });
});

test('starts the hour of the page’s own data at their read, never in the future', () => {
  const initial = beginDashboard(at(1000));
  expect(initial).toEqual({ ...loaded, nextRefreshAt: null });
  expect(reduceDashboard(initial, { type: 'taken over', at: 61_000 })).toEqual(loaded);
  const behind = reduceDashboard(initial, { type: 'taken over', at: 400 });
  expect(behind).toMatchObject({ loaded: { at: 400 }, nextRefreshAt: 3_600_400 });
  expect(reduceDashboard(empty, { type: 'taken over', at: 400 })).toEqual(empty);
});

test('a failed refresh keeps the data and has a reason [R5]', () => {
  const refreshing = reduceDashboard(loaded, { type: 'started', at: 2000 });
  expect(refreshing).toMatchObject({ phase: 'loaded', refreshing: true });
  const failed = reduceDashboard(refreshing, { type: 'failed', failure: failureAt(2500), kept: null });
  expect(failed).toMatchObject({
    phase: 'loaded',
    loaded: { at: 1000 },
    refreshing: false,
    failure: failureAt(2500),
    nextRefreshAt: 3_601_000,
  });
  const again = reduceDashboard(failed, { type: 'loaded', loaded: at(3000), at: 3000 });
  expect(again).toMatchObject({ failure: null, refreshed: true, loaded: { at: 3000 } });
});

test('a failed scheduled refresh is retried after a minute', () => {
  const failed = reduceDashboard(loaded, { type: 'failed', failure: failureAt(3_601_000), kept: null });
  expect(failed.nextRefreshAt).toBe(3_661_000);
});

test('shows stored data with their own age until a load succeeds', () => {
  const kept = at(1_000);
  const shown = reduceDashboard(empty, { type: 'failed', failure: failureAt(9_000_000), kept });
  expect(shown).toMatchObject({
    phase: 'loaded',
    loaded: { at: 1_000 },
    failure: failureAt(9_000_000),
    nextRefreshAt: 9_060_000,
  });
  const recent = at(8_900_000);
  const due = reduceDashboard(empty, { type: 'failed', failure: failureAt(9_000_000), kept: recent });
  expect(due.nextRefreshAt).toBe(12_500_000);
});

test('replaces an older page by stored data, but not a newer page', () => {
  const failedWith = (kept: Loaded) =>
    reduceDashboard(beginDashboard(at(5_000)), { type: 'failed', failure: failureAt(9_000_000), kept });
  expect(failedWith(at(6_000))).toMatchObject({ loaded: { at: 6_000 }, failure: failureAt(9_000_000) });
  expect(failedWith(at(5_000))).toMatchObject({ loaded: { at: 5_000 }, failure: failureAt(9_000_000) });
  expect(failedWith(at(4_000))).toMatchObject({ loaded: { at: 5_000 } });
});

test('retries within an hour after the clock was set back', () => {
  const failed = reduceDashboard(loaded, { type: 'failed', failure: failureAt(-90_000_000), kept: null });
  expect(failed.nextRefreshAt).toBe(-86_400_000);
});
