import { newestClosedSession, sessionsBehind } from './sessions.ts';

/** Time (ms) after a close until its rows count as missing. */
export const PUBLICATION_MS = 90 * 60_000;

/**
 * Number of sessions by which the newest row is behind at `now` (both epoch ms). A row from within a session does not
 * count as its close.
 */
export function sessionsOverdue(newest: number, now: number): number {
  return sessionsBehind(newestClosedSession(newest), now - PUBLICATION_MS);
}
