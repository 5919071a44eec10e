import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { newestClosedSession, previousSession, sessionsBetween } from '#domain/calendar/sessions.ts';

/** More than the 365 days over 252 sessions of a year, and some for a short stretch of holidays. */
const DAYS_PER_SESSION = 1.5;
const SPARE_DAYS = 10;

/** As many consecutive sessions as given, the last of them the newest closed one at `now`. */
export function replaySessions(sessions: readonly string[], now: number): string[] {
  const last = newestClosedSession(now);
  const reach = Math.ceil(sessions.length * DAYS_PER_SESSION) + SPARE_DAYS;
  const first = formatDay(parseDay(last) - reach);
  const replayed = sessionsBetween(first, last).slice(-sessions.length);
  while (replayed.length < sessions.length) replayed.unshift(previousSession(replayed[0] ?? last));
  return replayed;
}
