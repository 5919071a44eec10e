import { daysBefore, endOfMarketDay, type MarketClock } from './market-clock.ts';

/** The windows of the specification, in days. */
const HISTORY_DAYS = { previousClose: 1, oneWeekAgo: 7, oneMonthAgo: 30, oneYearAgo: 365 } as const;
/** Reading 2: how far before a day without a row the last session before it may lie. */
const STAND_IN_DAYS = 5;

/** The market day a window lies back from now. */
export function dayAgo(clock: MarketClock, window: keyof typeof HISTORY_DAYS): string {
  return daysBefore(clock, clock.marketDay(clock.now), HISTORY_DAYS[window]);
}

const iso = (instant: number) => new Date(instant).toISOString();

/** The instant the timeline begins at, ISO: a midnight, so that all who ask on a day ask the same. */
export function timelineFrom(clock: MarketClock): string {
  return iso(clock.startOfMarketDay(dayAgo(clock, 'oneYearAgo')));
}

/** Filters for the closing rows of a market day, or of the last session before it where it has none. */
export const closingSpan = (clock: MarketClock, day: string) =>
  [
    ['created_at', 'gte', iso(clock.startOfMarketDay(daysBefore(clock, day, STAND_IN_DAYS)))],
    ['created_at', 'lt', iso(endOfMarketDay(clock, day))],
  ] as const;

/**
 * The day whose close was before the newest session's, where that is asked for besides yesterday's: on a day without a
 * session, and before the opening bell, yesterday's close is the current reading itself. Null on other days.
 */
export function dayBeforeOpened(
  clock: MarketClock & { newestOpenedSession: (instant: number) => string },
): string | null {
  const opened = clock.newestOpenedSession(clock.now);
  return opened === clock.marketDay(clock.now) ? null : daysBefore(clock, opened, 1);
}
