/** The exchange's clock, handed in by the caller: `#domain/calendar/sessions.ts` has the functions. */
export interface MarketClock {
  /** Epoch milliseconds. */
  now: number;
  /** The day in America/New_York at an instant, `YYYY-MM-DD`. */
  marketDay: (instant: number) => string;
  /** The instant of that day's midnight in America/New_York. */
  startOfMarketDay: (day: string) => number;
}

/** The same of a reader that asks for the close before the current reading. */
export interface SessionClock extends MarketClock {
  /** The newest session whose opening bell has rung at an instant. */
  newestOpenedSession: (instant: number) => string;
}

const HOUR = 3_600_000;

/** The day `count` days before `day`. Counted from noon, so that a changed clock cannot move it. */
export function daysBefore(clock: MarketClock, day: string, count: number): string {
  return clock.marketDay(clock.startOfMarketDay(day) + (12 - 24 * count) * HOUR);
}

/** The instant a day ends at: the next day's midnight. */
export function endOfMarketDay(clock: MarketClock, day: string): number {
  return clock.startOfMarketDay(daysBefore(clock, day, -1));
}
