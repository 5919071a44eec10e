import { newestClosedSession, previousSession, sessionsBetween } from '#domain/calendar/sessions.ts';

const DAYS_PER_SESSION = 1.5;
const MS_PER_DAY = 86_400_000;

/** As many consecutive sessions as given, the last of them the newest closed one at `now`. */
export function replaySessions(sessions: readonly string[], now: number): string[] {
  const last = newestClosedSession(now);
  const reach = (sessions.length * DAYS_PER_SESSION + 10) * MS_PER_DAY;
  const first = new Date(Date.parse(last) - reach).toISOString().slice(0, 10);
  const replayed = sessionsBetween(first, last).slice(-sessions.length);
  while (replayed.length < sessions.length) replayed.unshift(previousSession(replayed[0] ?? last));
  return replayed;
}
