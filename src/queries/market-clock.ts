/** The exchange's clock, passed in by the caller: `#domain/calendar/sessions.ts` has the functions. */
export interface MarketClock {
  /** Epoch milliseconds. */
  now: number;
  /** The day in America/New_York at an instant, `YYYY-MM-DD`. */
  marketDay: (instant: number) => string;
  /** The time of that day's midnight in America/New_York. */
  startOfMarketDay: (day: string) => number;
}

/** A clock with the calendar of the exchange, which the read of the previous close needs. */
export interface SessionClock extends MarketClock {
  /** The newest session that opened at or before an instant. */
  newestOpenedSession: (instant: number) => string;
}

const HOUR = 3_600_000;

/** The day `count` days before `day`. Counts from noon, so that daylight saving cannot shift it. */
export function daysBefore(clock: MarketClock, day: string, count: number): string {
  return clock.marketDay(clock.startOfMarketDay(day) + (12 - 24 * count) * HOUR);
}

/** End of a day: the midnight with which the next day begins. */
function endOfMarketDay(clock: MarketClock, day: string): number {
  return clock.startOfMarketDay(daysBefore(clock, day, -1));
}

const WINDOW_DAYS = { previousClose: 1, oneWeekAgo: 7, oneMonthAgo: 30, oneYearAgo: 365 } as const;
/** The largest distance (days) between a day without a row and the last session before it. */
const STAND_IN_DAYS = 5;

export function dayAgo(clock: MarketClock, window: keyof typeof WINDOW_DAYS): string {
  return daysBefore(clock, clock.marketDay(clock.now), WINDOW_DAYS[window]);
}

export const weekBefore = (clock: MarketClock, session: string): string =>
  daysBefore(clock, session, WINDOW_DAYS.oneWeekAgo);

const iso = (instant: number) => new Date(instant).toISOString();

/** Start of the timeline (ISO): a midnight, so that all reads of a day are equal. */
export function timelineStart(clock: MarketClock): string {
  return iso(clock.startOfMarketDay(dayAgo(clock, 'oneYearAgo')));
}

/** Filters for the closing rows of a market day, or of the last session before it if the day has no rows. */
export const closingSpan = (clock: MarketClock, day: string) =>
  [
    ['created_at', 'gte', iso(clock.startOfMarketDay(daysBefore(clock, day, STAND_IN_DAYS)))],
    ['created_at', 'lt', iso(endOfMarketDay(clock, day))],
  ] as const;

/**
 * The day before the newest session; null if yesterday's close is enough. On a day without a session, and before the
 * opening bell, yesterday's close is the current reading itself, so the close of the returned day is read too.
 */
export function dayBeforeOpened(clock: SessionClock): string | null {
  const opened = clock.newestOpenedSession(clock.now);
  return opened === clock.marketDay(clock.now) ? null : daysBefore(clock, opened, 1);
}
