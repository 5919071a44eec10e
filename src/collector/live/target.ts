import {
  newestOpenedSession,
  previousSession,
  sessionClose,
  sessionOpen,
} from '#domain/calendar/sessions.ts';
import { SETTLED_AFTER } from '../periods.ts';

/** Before this (ms after the opening bell) a delayed feed has no bar of the session. */
const TRADED_AFTER = 20 * 60_000;

/** The session a run is about. */
export interface Target {
  readonly session: string;
  /** Whether its figures are final. Otherwise what is read of it is a value within the session. */
  readonly final: boolean;
  /** The newest session whose figures are final: `session`, or the one before. */
  readonly newestFinal: string;
}

/**
 * What there is to read at `now`: the session under way, else the newest one. A session is under way until its
 * figures are final, 30 minutes after the closing bell: so neither a delayed feed nor a clock some minutes off
 * makes a value from within it a close.
 */
export function targetAt(now: number): Target {
  const session = newestOpenedSession(now);
  if (now >= sessionClose(session) + SETTLED_AFTER) return { session, final: true, newestFinal: session };
  const newestFinal = previousSession(session);
  return now < sessionOpen(session) + TRADED_AFTER
    ? { session: newestFinal, final: true, newestFinal }
    : { session, final: false, newestFinal };
}
