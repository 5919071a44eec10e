import type { DataAgeView } from './model.ts';

/**
 * How far the numbers are behind at `now` (epoch milliseconds): '2 sessions behind', or null when they are
 * fresh. Knows no calendar: the age carries the instants at which the next sessions fall behind.
 */
export function staleText({ sessionsBehind, overdueAt }: DataAgeView, now: number): string | null {
  const since = overdueAt.filter((instant) => instant <= now).length;
  const behind = sessionsBehind + since;
  if (behind === 0) return null;
  const text = `${behind} ${behind === 1 ? 'session' : 'sessions'} behind`;
  // Past the last instant known there may have been more.
  return since > 0 && since === overdueAt.length ? `At least ${text}` : text;
}
