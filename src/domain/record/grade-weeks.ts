import { formatDay, parseDay } from '../calendar/days.ts';
import { newestClosedSession, nextSession, previousSession } from '../calendar/sessions.ts';

/** The rule of the grades. A changed rule gets a new name, so that grades of two rules are never mixed. */
export const GRADE_RULE = 'g1';
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

/** The grade of one week over one horizon. Fields without a value in a void grade are null. */
export interface Grade {
  readonly week: string;
  readonly horizonWeeks: Horizon;
  readonly entrySession: string;
  readonly entryClose: number | null;
  readonly exitSession: string | null;
  readonly exitClose: number | null;
  /** Change from the entry close, in percent of that close; null if the grade is void. */
  readonly changePercent: number | null;
  /** The reason why the grade is void, in one plain sentence; null if it is not void. */
  readonly voidReason: string | null;
}

interface Closes {
  readonly closes: readonly Close[];
  /** The newest session that the stored closes may cover. */
  readonly newestSession: string;
}

/**
 * A close that is still missing after this number of sessions no longer arrives: the live source corrects only its last
 * ten sessions.
 */
const GRACE_SESSIONS = 10;
const DAYS_A_WEEK = 7;
/** Days from a week's Monday after which the week can no longer be decided, because the next week's decision is due. */
const DECIDED_WITHIN_DAYS = 2 * DAYS_A_WEEK;

const daysAfter = (day: string, count: number) => formatDay(parseDay(day) + count);

/** The session of the first close strictly after an instant (epoch ms). */
export function entrySessionOf(decidedAt: number): string {
  return nextSession(newestClosedSession(decidedAt));
}

/** The newest session for which a missing close no longer arrives. */
function newestFinal(newestSession: string): string {
  let session = newestSession;
  for (let back = 0; back < GRACE_SESSIONS; back += 1) session = previousSession(session);
  return session;
}

/**
 * Grades weeks by rule g1. A week's entry is the first close after its decision; its exit is the entry of the week 1, 4
 * or 13 weeks later. Returns a grade for each week and horizon whose window has ended, in the order of the weeks. If
 * one of the two closes is missing, the grade is pending for ten sessions and void from then on.
 */
export function gradeWeeks(weeks: readonly DecidedWeek[], { closes, newestSession }: Closes): Grade[] {
  const entryOf = new Map(weeks.map(({ week, decidedAt }) => [week, entrySessionOf(decidedAt)]));
  const closeOf = new Map(closes.map((close) => [close.session, close]));
  const finalUntil = newestFinal(newestSession);

  function grade({ week, market }: DecidedWeek, horizonWeeks: Horizon): Grade | null {
    const entrySession = entryOf.get(week) ?? '';
    const exitWeek = daysAfter(week, horizonWeeks * DAYS_A_WEEK);
    const exitSession = entryOf.get(exitWeek) ?? null;
    const priceOf = (session: string | null) => {
      const close = session === null ? undefined : closeOf.get(session);
      return close?.market === market ? close.price : null;
    };
    const known = {
      week,
      horizonWeeks,
      entrySession,
      entryClose: priceOf(entrySession),
      exitSession,
      exitClose: priceOf(exitSession),
    };
    const voided = (voidReason: string): Grade => ({ ...known, changePercent: null, voidReason });
    if (exitSession === null) {
      const isFinal = daysAfter(exitWeek, DECIDED_WITHIN_DAYS) <= finalUntil;
      return isFinal ? voided(`The week of ${exitWeek} has no decision, so the window has no exit.`) : null;
    }
    if (exitSession <= entrySession) {
      return voided(
        `No close lies between the decisions of the weeks of ${week} and ${exitWeek}, so the window is empty.`,
      );
    }
    for (const session of [entrySession, exitSession]) {
      if (priceOf(session) !== null) continue;
      if (session > finalUntil) return null;
      return voided(
        closeOf.has(session)
          ? `The stored S&P 500 close of ${session} is of another market than the signal.`
          : `No S&P 500 close of ${session} is stored.`,
      );
    }
    const { entryClose, exitClose } = known;
    if (entryClose === null || exitClose === null) return null;
    return { ...known, changePercent: (exitClose / entryClose - 1) * 100, voidReason: null };
  }

  return weeks.flatMap((week) =>
    HORIZONS.flatMap((horizon) => {
      const graded = grade(week, horizon);
      return graded === null ? [] : [graded];
    }),
  );
}
