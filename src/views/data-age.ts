import { sessionsBehind } from '#domain/calendar/sessions.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { asOf } from './day.ts';
import type { DataAgeView } from './model.ts';
import { newestInstant, observedRows } from './observed.ts';

/** How long after a closing bell its rows may take to arrive before the data counts as behind. */
const PUBLICATION_MS = 90 * 60_000;

/** The age of the newest row in trading sessions; null when every table is empty. */
export function dataAgeView(rows: DashboardRows, now: number): DataAgeView | null {
  const newest = newestInstant(observedRows(rows));
  if (newest === null) return null;
  const observed = asOf(newest);
  const behind = sessionsBehind(observed.session, now - PUBLICATION_MS);
  return {
    asOf: observed,
    sessionsBehind: behind,
    stale: behind > 0,
    staleText: behind === 0 ? null : `${behind} ${behind === 1 ? 'session' : 'sessions'} behind`,
  };
}
