import { formatDay, parseDay } from './days.ts';
import { sessionsBetween } from './sessions.ts';

/** Calendar days per session, with a margin: a year has 365 days and 252 sessions. */
const DAYS_PER_SESSION = 1.5;
const SPARE_DAYS = 10;

/** The `count` sessions up to and including `last`, ascending. */
export function lastSessions(last: string, count: number): string[] {
  const first = formatDay(parseDay(last) - Math.ceil(count * DAYS_PER_SESSION) - SPARE_DAYS);
  return sessionsBetween(first, last).slice(-count);
}
