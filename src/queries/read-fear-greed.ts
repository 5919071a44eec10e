import type { FearGreedPoint, FearGreedRow, FearGreedSessionRow } from '#schema/columns.ts';
import type { FearGreedReadings } from '#schema/dashboard.ts';
import { dayBeforeOpened, daysBefore, type MarketClock, type SessionClock } from './market-clock.ts';
import { readAll, readFirst, readRows, type SendRead } from './read-rows.ts';
import { type DashboardReads, fearGreedClose, sessionComponents, timelineRead } from './table-reads.ts';

/** All points of the last 365 days, ascending, read page by page. Throws QueryError. */
export const readTimeline = (send: SendRead, clock: MarketClock): Promise<FearGreedPoint[]> =>
  readAll(send, timelineRead(clock));

const dayOf = (clock: MarketClock, row: FearGreedPoint) => clock.marketDay(Date.parse(row.created_at));

/**
 * Yesterday's close. On a Saturday or before the opening bell, that is the current reading itself, and there is none if
 * the data are old; then returns the close before the current reading. If the calendar predicts this case, both closes
 * are read at the same time.
 */
async function readPreviousClose(
  send: SendRead,
  clock: SessionClock,
  { previousClose, beforeOpened }: DashboardReads['earlier'],
  reading: Promise<FearGreedRow | null>,
): Promise<FearGreedRow | null> {
  const [current, yesterday, before] = await Promise.all([
    reading,
    readFirst(send, previousClose),
    beforeOpened && readFirst(send, beforeOpened),
  ]);
  if (current === null) return yesterday;
  const day = dayOf(clock, current);
  if (yesterday !== null && dayOf(clock, yesterday) !== day) return yesterday;
  const dayBefore = daysBefore(clock, day, 1);
  if (dayBefore === dayBeforeOpened(clock)) return before;
  return readFirst(send, fearGreedClose(clock, dayBefore));
}

/** The index now, its earlier closes and the last 365 days (only `withTimeline`), read in parallel. Throws QueryError. */
export async function readFearGreed(
  send: SendRead,
  clock: SessionClock,
  { newest, earlier }: DashboardReads,
  withTimeline: boolean,
): Promise<FearGreedReadings> {
  const reading = readFirst(send, newest.fearGreed);
  const [current, previousClose, oneWeekAgo, oneMonthAgo, oneYearAgo, timeline] = await Promise.all([
    reading,
    readPreviousClose(send, clock, earlier, reading),
    readFirst(send, earlier.oneWeekAgo),
    readFirst(send, earlier.oneMonthAgo),
    readFirst(send, earlier.oneYearAgo),
    withTimeline ? readTimeline(send, clock) : [],
  ]);
  return { current, previousClose, oneWeekAgo, oneMonthAgo, oneYearAgo, timeline };
}

/** The components of Fear & Greed at the end of each session of the last 365 days, ascending. Throws QueryError. */
export const readComponents = (send: SendRead, clock: MarketClock): Promise<FearGreedSessionRow[]> =>
  readRows(send, sessionComponents(clock));
