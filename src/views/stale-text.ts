import type { DataAgeView } from './model.ts';

/**
 * The age of the numbers at `now` (epoch milliseconds): '2 sessions behind', or null if they are current. Needs no calendar:
 * `overdueAt` has the instants at which the next sessions become overdue.
 */
export function staleText({ sessionsBehind, overdueAt }: DataAgeView, now: number): string | null {
  const since = overdueAt.filter((instant) => instant <= now).length;
  const behind = sessionsBehind + since;
  if (behind === 0) return null;
  const text = `${behind} ${behind === 1 ? 'session' : 'sessions'} behind`;
  // After the last known instant more sessions may have closed.
  return since > 0 && since === overdueAt.length ? `At least ${text}` : text;
}
