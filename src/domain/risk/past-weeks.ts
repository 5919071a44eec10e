import { weekStart } from '../calendar/iso-week.ts';
import { carryForward } from '../indicators/windows.ts';

/** Number of sessions that an outlook covers: four weeks. */
export const OUTLOOK_SESSIONS = 20;
/** Sessions after which the size of the move is looked at: each of the four weeks. */
export const MOVE_SESSIONS = [5, 10, 15, OUTLOOK_SESSIONS] as const;
/** Sessions over which past volatility is measured: a day, a week, a month (Corsi 2009, Journal of Financial Econometrics 7). */
export const TERMS = [1, 5, 22] as const;
const LONGEST = 22;
/** Least daily volatility, so that a flat market has a logarithm. */
const FLOOR = 1e-4;
/** A larger log change is a split or an error: the largest fall of the S&P 500 was 20.5 % (19 October 1987). */
const LARGEST_MOVE = 0.3;

export interface DailyCloses {
  /** Trading days (`YYYY-MM-DD`), ascending. */
  readonly sessions: readonly string[];
  /** Closes of the S&P 500; NaN if missing. */
  readonly closes: Float64Array;
  /** Closes of the VIX; NaN if missing. */
  readonly vix: Float64Array;
}

export const VIX_BANDS = ['below 15', '15 to 25', '25 or more'] as const;
export type VixBand = (typeof VIX_BANDS)[number];

/** The band of a VIX. */
export function vixBand(vix: number): VixBand {
  if (vix < 15) return 'below 15';
  return vix < 25 ? '15 to 25' : '25 or more';
}

/** The 20 sessions after a week. */
export interface RiskOutcome {
  /** Root mean square of the daily log returns. */
  readonly volatility: number;
  /** The lowest of the next 20 closes against the close of the week (share). */
  readonly worst: number;
  /** The change from the close of the week to that after 5, 10, 15 and 20 sessions (share). */
  readonly changes: readonly number[];
}

/** The outcome of 20 sessions from their closes, the close before them first. Null if one is missing or a move is impossible. */
export function outcomeOf(closes: readonly number[]): RiskOutcome | null {
  const [start = Number.NaN] = closes;
  const changes = closes.slice(1).map((close, at) => Math.log(close / (closes[at] ?? Number.NaN)));
  if (changes.length !== OUTLOOK_SESSIONS || !changes.every((change) => Math.abs(change) <= LARGEST_MOVE))
    return null;
  const squares = changes.reduce((sum, change) => sum + change ** 2, 0);
  return {
    volatility: Math.max(Math.sqrt(squares / OUTLOOK_SESSIONS), FLOOR),
    worst: Math.min(...closes.slice(1)) / start - 1,
    changes: MOVE_SESSIONS.map((sessions) => (closes[sessions] ?? Number.NaN) / start - 1),
  };
}

/**
 * The weeks of a history, oldest first, by their last session with what is known at its close; the last may be unfinished.
 * Leaves out weeks after an impossible move.
 */
export function pastWeeks({ sessions, closes, vix }: DailyCloses) {
  const carried = carryForward(vix);
  const present = sessions.flatMap((_, at) => (Number.isNaN(closes[at] ?? Number.NaN) ? [] : [at]));
  const days = present.map((at) => sessions[at] ?? '');
  const levels = present.map((at) => closes[at] ?? Number.NaN);
  const returns = levels.map((close, at) => Math.log(close / (levels[at - 1] ?? close)));
  /** Root mean square of the last `count` returns; NaN if one of them is impossible. */
  const volatility = (end: number, count: number) => {
    let sum = 0;
    for (let at = end - count + 1; at <= end; at += 1) {
      const change = returns[at] ?? Number.NaN;
      sum += Math.abs(change) <= LARGEST_MOVE ? change ** 2 : Number.NaN;
    }
    return Math.max(Math.sqrt(sum / count), FLOOR);
  };
  return days.flatMap((session, at) => {
    const following = days[at + 1];
    const endsWeek = following === undefined || weekStart(following) !== weekStart(session);
    if (!endsWeek || at < LONGEST || Number.isNaN(volatility(at, LONGEST))) return [];
    const ownVix = carried[present[at] ?? -1] ?? Number.NaN;
    return [
      {
        // The place of the session among those with a close.
        at,
        session,
        close: levels[at] ?? Number.NaN,
        // The VIX, or one of the five sessions before; NaN without one.
        vix: ownVix,
        band: ownVix > 0 ? vixBand(ownVix) : null,
        // 1 and the logarithms of past volatility over a day, a week and a month.
        terms: [1, ...TERMS.map((count) => Math.log(volatility(at, count)))],
        // Null until 20 sessions have passed, and if an impossible move is among them.
        outcome: outcomeOf(levels.slice(at, at + OUTLOOK_SESSIONS + 1)),
      },
    ];
  });
}
export type PastWeek = ReturnType<typeof pastWeeks>[number];
