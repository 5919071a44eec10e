import type { DataAgeView } from './model.ts';

/**
 * Number of sessions, at least, that the numbers are behind at `now` (epoch ms); 0 if they are current, null without
 * data. It grows with time even if the data stay the same.
 */
export function sessionsBehindAt(age: DataAgeView | null, now: number): number | null {
  if (age === null) return null;
  return age.sessionsBehind + age.overdueAt.filter((instant) => instant <= now).length;
}

/**
 * Data that are more sessions behind than this are marked as stale for other sites. One is allowed, because a closing
 * run may be late.
 */
const MOST_BEHIND = 1;

export const isStale = (sessionsBehind: number | null): boolean =>
  sessionsBehind !== null && sessionsBehind > MOST_BEHIND;
