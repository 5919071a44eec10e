import {
  isSession,
  marketDay,
  nextSession,
  previousSession,
  sessionClose,
  sessionOpen,
} from '#domain/calendar/sessions.ts';

/*
 * The periods of the collector: the instants (epoch ms) at which a run falls due. All of a session's are on its
 * day in New York.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A first look once trading has settled, then hourly while the exchange is open. */
const AFTER_OPEN = 30 * MINUTE;
/** How long after the closing bell the day's figures are final. */
export const SETTLED_AFTER = 30 * MINUTE;
/** What providers publish in the evening, and their corrections of the day. */
const LATE_FIGURES = 4 * HOUR;
/** A failed run is tried again after this long. */
export const RETRY_AFTER = 10 * MINUTE;
/** A period that is not done this long after it fell due is missed; time for some tries. */
const MISSED_AFTER = 30 * MINUTE;
/** So many missed periods in a row are told. */
export const MISSED_TOLD = 2;
/** No more missed periods are counted than these: about a month's. */
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

/** How many periods in a row are missed at `now`, when everything up to `done` is done; 200 at most. */
export function missedPeriods(done: number, now: number): number {
  let missed = 0;
  let period = nextPeriod(done);
  while (period <= now - MISSED_AFTER && missed < MOST_COUNTED) {
    missed += 1;
    period = nextPeriod(period);
  }
  return missed;
}
