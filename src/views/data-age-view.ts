import {
  marketDay,
  marketState,
  newestClosedSession,
  nextSession,
  OVERDUE_MS,
  sessionClose,
  sessionsOverdue,
} from '#domain/calendar/sessions.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { asOf } from './day.ts';
import { newestInstant, observedRows } from './observed.ts';

/** Number of future sessions in `overdueAt`: enough for a page that stays open for two weeks. */
const SESSIONS_AHEAD = 10;

function overdueInstants(session: string, now: number): number[] {
  const next = marketDay(marketState(now - OVERDUE_MS).nextClose);
  // Rows can have a future date.
  const first = next > session ? next : nextSession(session);
  return Array.from({ length: SESSIONS_AHEAD }, (_, at) => sessionClose(nextSession(first, at)) + OVERDUE_MS);
}

/** The age of the newest row in trading sessions; null when every table is empty. */
export function dataAgeView(rows: DashboardRows, now: number) {
  const newest = newestInstant(observedRows(rows));
  if (newest === null) return null;
  const observed = asOf(newest);
  return {
    asOf: observed,
    sessionsBehind: sessionsOverdue(observed.instant, now),
    overdueAt: overdueInstants(newestClosedSession(observed.instant), now),
  };
}
export type DataAgeView = NonNullable<ReturnType<typeof dataAgeView>>;
