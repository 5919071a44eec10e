import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { EMPTY } from '#tests/support/dashboard-rows.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import type { DashboardState } from './dashboard-state.ts';
import { RefreshNotice, StaleNotice } from './refresh-notice.tsx';

type LoadedState = Extract<DashboardState, { phase: 'loaded' }>;

const at = Date.parse('2026-11-13T21:30:00Z');
const loaded: LoadedState = {
  phase: 'loaded',
  loaded: { view: dashboardView(EMPTY, at), at },
  refreshing: false,
  refreshed: false,
  failure: null,
  nextRefreshAt: at,
};
const failure = { message: 'Failed to fetch data', at, offline: false };

const render = (state: LoadedState) =>
  renderToString(<RefreshNotice state={state} onRetry={() => {}} onDismiss={() => {}} />).replaceAll(
    '<!-- -->',
    '',
  );
const announced = (state: LoadedState) => /role="status">(.*?)<\/p>/.exec(render(state))?.[1];
const shown = (state: LoadedState) =>
  /class="card chip-notice notice"><p>(.*?)<\/p>/.exec(render(state))?.[1]?.replaceAll(/<[^>]+>/g, '');

test('a first load announces no text', () => {
  expect(announced(loaded)).toBe('');
});

test('announces each refresh to screen readers as "polite"', () => {
  expect(announced({ ...loaded, refreshed: true })).toMatch(/^Updated \d\d:\d\d$/);
  expect(announced({ ...loaded, refreshed: true, refreshing: true })).toBe('');
});

test('shows the time, the reason and the shown data after a failed refresh', () => {
  const message = 'The database is not available.';
  const state = { ...loaded, refreshed: true, failure: { ...failure, message } };
  expect(announced(state)).toBe(`Refresh failed. ${message}`);
  expect(shown(state)).toMatch(
    /^Refresh failed at .*\. Showing what was read on .* ago\. Reason: The database is not available\.$/,
  );
});

test('shows no reason that only repeats the failure', () => {
  const state = { ...loaded, refreshed: true, failure };
  expect(announced(state)).toBe('Refresh failed.');
  expect(shown(state)).toMatch(/^Refresh failed at .*\. Showing what was read on .* ago\.$/);
});

test('shows a missing network instead of the request’s error', () => {
  const state = { ...loaded, failure: { ...failure, offline: true } };
  expect(announced(state)).toBe('Offline.');
  expect(shown(state)).toMatch(/^Offline\. Showing what was read on .* ago\.$/);
});

test('announces a refresh from a server without its database, with the time of its numbers', () => {
  const state = { ...loaded, refreshed: true, loaded: { ...loaded.loaded, isStale: true } };
  expect(announced(state)).toMatch(/^The database is not responding\. Showing what was read at \d\d:\d\d\.$/);
});

test('shows the time of a database outage without script as well', () => {
  const text = renderToString(<StaleNotice at={at} />).replaceAll(/<!-- -->/g, '');
  expect(text).toMatch(
    /^<p class="card chip-notice">The database is not responding\. Showing what was read on <time/,
  );
  expect(text).toContain('<noscript>Fri 13 Nov 2026 21:30 UTC</noscript>.');
});
