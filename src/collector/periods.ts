import {
  isSession,
  LATE_FIGURES,
  marketDay,
  nextSession,
  previousSession,
  sessionClose,
  sessionOpen,
} from '#domain/calendar/sessions.ts';

// Periods are the times (epoch ms) at which a run of the collector is due. Those of a session are on its day in New York.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The first period of a session; the next ones follow hourly. */
const AFTER_OPEN = 30 * MINUTE;
/** Values of a session are settled this long after the closing bell. */
export const SETTLED_AFTER = 30 * MINUTE;
/** Delay before a failed run is retried. */
export const RETRY_AFTER = 10 * MINUTE;
/** A period is missed if it is not done this long after it was due, which leaves time for retries. */
export const MISSED_AFTER = 30 * MINUTE;
/** Number of consecutive missed periods to report. */
export const MISSED_REPORTED = 2;
/** Missed periods are counted up to this number, about a month. */
const MOST_COUNTED = 200;

/** The periods of a session, ascending. */
export function periodsOf(session: string): number[] {
  const close = sessionClose(session);
  const periods: number[] = [];
  for (let at = sessionOpen(session) + AFTER_OPEN; at < close; at += HOUR) periods.push(at);
  return [...periods, close + SETTLED_AFTER, close + LATE_FIGURES];
}

/** The newest period that is due at `now`. */
export function newestPeriod(now: number): number {
  const today = marketDay(now);
  const due = isSession(today) ? periodsOf(today).findLast((period) => period <= now) : undefined;
  return due ?? (periodsOf(previousSession(today)).at(-1) as number);
}

/** The first period that is due after `now`. */
export function nextPeriod(now: number): number {
  const today = marketDay(now);
  const coming = isSession(today) ? periodsOf(today).find((period) => period > now) : undefined;
  return coming ?? (periodsOf(nextSession(today))[0] as number);
}

/** Number of periods missed at `now` if all up to `done` are done; at most 200. */
export function missedPeriods(done: number, now: number): number {
  let missed = 0;
  let period = nextPeriod(done);
  while (period <= now - MISSED_AFTER && missed < MOST_COUNTED) {
    missed += 1;
    period = nextPeriod(period);
  }
  return missed;
}
