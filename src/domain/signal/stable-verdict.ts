import type { Verdict } from '../bands/score-bands.ts';
import { nextSession } from '../calendar/sessions.ts';

/** The verdict of a closing run. */
export interface ClosingVerdict {
  /** `YYYY-MM-DD`. */
  readonly session: string;
  /** Null if the run had stale, mixed, insufficient or demonstration data. */
  readonly verdict: Verdict | null;
}

/**
 * Returns the verdict that the newest closing run makes stable; null if there is none. A verdict is stable if two
 * closing runs have it and no session lies between their sessions. The verdict has changed if a stable verdict differs
 * from the last stable one.
 */
export function stableVerdict(previous: ClosingVerdict, newest: ClosingVerdict): Verdict | null {
  const isNext = nextSession(previous.session) === newest.session;
  return isNext && previous.verdict === newest.verdict ? newest.verdict : null;
}
