import { weeksAfter } from '../calendar/iso-week.ts';
import {
  marketDay,
  newestClosedSession,
  nextSession,
  previousSession,
  startOfMarketDay,
} from '../calendar/sessions.ts';

/** The rule of the grades. A changed rule gets a new name, so that grades of two rules are never mixed. */
export const GRADE_RULE = 'g2';
/** The horizons of a grade, in weeks. */
export const HORIZONS = [1, 4, 13] as const;
export type Horizon = (typeof HORIZONS)[number];

/** A week with a decision, issued or withheld. */
export interface DecidedWeek {
  /** Its Monday, `YYYY-MM-DD`. */
  readonly week: string;
  /** Epoch milliseconds. */
  readonly decidedAt: number;
  /** The market from whose rows the week was decided. Closes of another market do not grade it. */
  readonly market: string;
}

/** A close of the S&P 500. */
export interface Close {
  /** `YYYY-MM-DD`. */
  readonly session: string;
  /** Above zero. */
  readonly price: number;
  readonly market: string;
}

interface Closes {
  readonly closes: readonly Close[];
  /** The newest session that the stored closes may cover. */
  readonly newestSession: string;
}

/** The live source corrects its last ten sessions, so a close that is missing longer no longer arrives. */
export const GRACE_SESSIONS = 10;

/** The session of the first close strictly after an instant (epoch ms). */
export function entrySessionOf(decidedAt: number): string {
  return nextSession(newestClosedSession(decidedAt));
}

/** The session of the first close after the same weekday and time in New York, `weeks` after a decision. */
export function exitSessionOf(decidedAt: number, weeks: number): string {
  const day = marketDay(decidedAt);
  const later = startOfMarketDay(weeksAfter(day, weeks));
  return entrySessionOf(later + (decidedAt - startOfMarketDay(day)));
}

/**
 * Grades weeks by rule g2: from the first close after the decision to the first one 1, 4 or 13 weeks later by the
 * calendar. Returns ended windows in the order of the weeks. A missing close is awaited for ten sessions.
 */
export function gradeWeeks(weeks: readonly DecidedWeek[], { closes, newestSession }: Closes) {
  const closeOf = new Map(closes.map((close) => [close.session, close]));
  const settledUntil = previousSession(newestSession, GRACE_SESSIONS);

  /**
   * The grade of a week over one horizon, in percent of the entry close. A void grade has its reason in one plain sentence,
   * and null for the change and for a missing close. Null before the end of the window.
   */
  function grade({ week, decidedAt, market }: DecidedWeek, horizonWeeks: Horizon) {
    const entrySession = entrySessionOf(decidedAt);
    const exitSession = exitSessionOf(decidedAt, horizonWeeks);
    const priceOf = (session: string) => {
      const close = closeOf.get(session);
      return close?.market === market ? close.price : null;
    };
    const entryClose = priceOf(entrySession);
    const exitClose = priceOf(exitSession);
    const known = { week, horizonWeeks, entrySession, entryClose, exitSession, exitClose };
    if (entryClose !== null && exitClose !== null) {
      return { ...known, changePercent: (exitClose / entryClose - 1) * 100, voidReason: null };
    }
    const missing = entryClose === null ? entrySession : exitSession;
    // A window has not ended before its exit session, even if its entry close is missing for ever.
    if (missing > settledUntil || exitSession > newestSession) return null;
    const voidReason = closeOf.has(missing)
      ? `The stored S&P 500 close of ${missing} is of another market than the signal.`
      : `No S&P 500 close of ${missing} is stored.`;
    return { ...known, changePercent: null, voidReason };
  }

  return weeks.flatMap((week) => HORIZONS.flatMap((horizon) => grade(week, horizon) ?? []));
}

export type Grade = ReturnType<typeof gradeWeeks>[number];

/** The market of a source's rows. Each demonstration has its own; without rows it is the actual one. */
export function marketOf(source: string | null): string {
  return source === 'simulated' || source === 'replay' ? source : 'actual';
}
