import { lastSessions } from '#domain/calendar/last-sessions.ts';
import {
  newestOpenedSession,
  previousSession,
  sessionClose,
  sessionOpen,
} from '#domain/calendar/sessions.ts';
import { SETTLED_AFTER } from '../periods.ts';

/** A delayed feed has no data of a session before this (ms after the opening bell). */
const TRADED_AFTER = 20 * 60_000;

/** Sessions, both inclusive. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

/** The session that a run fetches. */
export interface Target {
  readonly session: string;
  /** True if its values are final; otherwise they are values of an open session. */
  readonly final: boolean;
  /** The newest session with final values: `session`, or the session before it. */
  readonly newestFinal: string;
}

/**
 * The session to fetch at `now`: the open session, else the newest closed one. A session counts as open until 30
 * minutes after the closing bell, so that neither a delayed feed nor a clock that is minutes off turns a value of
 * the open session into its close.
 */
export function targetAt(now: number): Target {
  const session = newestOpenedSession(now);
  if (now >= sessionClose(session) + SETTLED_AFTER) return { session, final: true, newestFinal: session };
  const newestFinal = previousSession(session);
  return now < sessionOpen(session) + TRADED_AFTER
    ? { session: newestFinal, final: true, newestFinal }
    : { session, final: false, newestFinal };
}

/** The range of the last `count` sessions up to `to`. */
export function rangeUpTo(to: string, count: number): Range {
  return { from: lastSessions(to, count)[0] ?? to, to };
}
