import { newestClosedSession, sessionsBehind } from './sessions.ts';

/** How long after a closing bell its rows may take to arrive before the data counts as behind. */
export const PUBLICATION_MS = 90 * 60_000;

/**
 * Number of sessions by which the newest row is behind at `now`, both epoch ms. A row from within a session does not
 * replace its close, which falls behind like any other.
 */
export function sessionsOverdue(newest: number, now: number): number {
  return sessionsBehind(newestClosedSession(newest), now - PUBLICATION_MS);
}
