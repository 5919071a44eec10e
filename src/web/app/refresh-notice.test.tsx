import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { DashboardState } from './dashboard-state.ts';
import type { Rows } from './dependencies.ts';
import { RefreshNotice } from './refresh-notice.tsx';

type Loaded = Extract<DashboardState<Rows>, { phase: 'loaded' }>;

const at = Date.parse('2026-11-13T21:30:00Z');
const rows = {} as Rows;
const loaded: Loaded = {
  phase: 'loaded',
  loaded: { rows, at },
  refreshing: false,
  refreshed: false,
  failure: null,
  nextRefreshAt: at,
};

const render = (state: Loaded) =>
  renderToString(<RefreshNotice state={state} now={() => at} />).replaceAll('<!-- -->', '');

test('a first load announces nothing', () => {
  expect(render(loaded)).toMatch(/role="status"><\/p>$/);
});

test('a refresh is announced politely', () => {
  expect(render({ ...loaded, refreshed: true })).toMatch(/role="status">Updated \d\d:\d\d<\/p>$/);
});

test('a refresh that failed says when, what is shown instead and why', () => {
  const html = render({ ...loaded, refreshed: true, failure: { message: 'Failed to fetch data', at } });
  expect(html).not.toContain('Updated');
  expect(html).toContain('role="alert"');
  expect(html.replaceAll(/<[^>]+>/g, '')).toMatch(
    /^Refresh failed at .*\. Showing what was read at .* ago\. Reason: Failed to fetch data$/,
  );
});
