import { newestClosedSession, sessionsBehind } from './sessions.ts';

/** Time (ms) after a close from which its rows are overdue if they are missing. */
export const PUBLICATION_MS = 90 * 60_000;

/**
 * Number of closed sessions whose rows are overdue at `now`, if the newest row is from `newest` (both epoch ms). A row
 * from within a session does not count as the close of that session.
 */
export function sessionsOverdue(newest: number, now: number): number {
  return sessionsBehind(newestClosedSession(newest), now - PUBLICATION_MS);
}
