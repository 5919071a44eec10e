import { weekStart } from '../calendar/iso-week.ts';
import { carryForward, quantile } from '../indicators/windows.ts';
import { createLeastSquares, type LeastSquares } from './least-squares.ts';

/** Name of this rule. It changes with each change of a constant or a formula in this file. */
export const RISK_RULE = 'r1';

/** Number of sessions that an outlook covers: four weeks. */
export const OUTLOOK_SESSIONS = 20;
/** Sessions over which past volatility is measured: a day, a week, a month (Corsi 2009, Journal of Financial Econometrics 7). */
const TERMS = [1, 5, 22] as const;
const LONGEST = 22;
/** Least daily volatility, so that a flat market has a logarithm. */
const FLOOR = 1e-4;
/** Least number of sessions between the first and the newest week of the regression: ten years. */
const LEAST_HISTORY = 2_520;
/** Least number of past weeks in a band of the VIX. */
const LEAST_ALIKE = 50;
/** Share of outcomes below the low and above the high end of a range. */
const TAIL = 0.1;
/** Change of a tail's level after an outcome (adaptive conformal inference, Gibbs and Candès 2021), and its limits. */
const STEP = 0.02;
const [LEAST_LEVEL, MOST_LEVEL] = [0.005, 0.3];
/** A fall to this share of the close counts as a fall of 5 %. */
const FALL = 0.95;

export interface DailyCloses {
  /** Trading days (`YYYY-MM-DD`), ascending. */
  readonly sessions: readonly string[];
  /** Closes of the S&P 500; NaN if missing. */
  readonly closes: Float64Array;
  /** Closes of the VIX; NaN if missing. */
  readonly vix: Float64Array;
}

export type VixBand = 'below 15' | '15 to 25' | '25 or more';

/** The band of a VIX. */
export function vixBand(vix: number): VixBand {
  if (vix < 15) return 'below 15';
  return vix < 25 ? '15 to 25' : '25 or more';
}

/** The outlook of one week, from closes up to its last session only. */
export interface RiskOutlook {
  /** The last session of the week. */
  readonly session: string;
  /** Inputs of the regression: VIX and past volatility, or past volatility only if the VIX is missing. */
  readonly inputs: 'vix and closes' | 'closes';
  /** Number of past weeks in the regression. */
  readonly weeks: number;
  /** Volatility of the next 20 sessions (root mean square of daily log returns): the middle and its 80 % range. */
  readonly volatility: { readonly low: number; readonly middle: number; readonly high: number };
  /** The mean of the past in logarithms, with which the outlook is compared. */
  readonly usualVolatility: number;
  /** Null without a VIX, and if fewer than 50 past weeks were in its band. */
  readonly band: VixBand | null;
  /** Number of past weeks in the band, or of all past weeks if there is no band. The next two figures are theirs. */
  readonly weeksAlike: number;
  /** The lowest of the next 20 closes against this one (share, such as −0.046): one week in ten falls below this line. */
  readonly worstLine: number;
  /** Probability (0 to 1) that one of the next 20 closes is 5 % or more below this one. */
  readonly fall: number;
  /** The share of all past weeks with such a fall, with which the probability is compared. */
  readonly usualFall: number;
}

/** The 20 sessions after an outlook. */
export interface RiskOutcome {
  readonly volatility: number;
  /** The lowest of the next 20 closes against the close of the outlook (share). */
  readonly worst: number;
}

export interface RiskWeek {
  readonly outlook: RiskOutlook;
  /** Null until 20 sessions have passed. */
  readonly outcome: RiskOutcome | null;
}

/** A week's last session with what is known at its close. */
interface Origin {
  readonly at: number;
  readonly session: string;
  /** Terms of the regression without the VIX: 1 and the logarithms of past volatility. */
  readonly terms: readonly number[];
  readonly logVix: number;
  readonly band: VixBand | null;
  readonly outcome: RiskOutcome | null;
}

/**
 * The outlook of each week with ten years of history before it, oldest first; empty with a shorter history. The last week may be
 * unfinished. Sessions without a close are left out, and a VIX is carried over five sessions.
 *
 * Log volatility is a linear function of log VIX and past log volatility, estimated from all weeks whose outcome is known. The ends of
 * the range are quantiles of the residuals of these weeks, and the line a quantile of their worst closes. Their levels
 * follow past misses, so that each is missed as often as it says.
 */
export function riskWeeks(history: DailyCloses): RiskWeek[] {
  const origins = originsOf(history);
  const fits = { vix: createLeastSquares(TERMS.length + 2), closes: createLeastSquares(TERMS.length + 1) };
  const levels = createLevels();
  const known: KnownWeek[] = [];
  const weeks: (RiskWeek & { readonly at: number })[] = [];
  let next = 0;
  let judged = 0;
  for (const origin of origins) {
    for (let one = origins[next]; isKnown(one, origin.at); one = origins[next]) {
      known.push(one);
      fits.closes.add(one.terms, Math.log(one.outcome.volatility));
      if (one.band !== null) fits.vix.add([...one.terms, one.logVix], Math.log(one.outcome.volatility));
      next += 1;
    }
    for (let one = weeks[judged]; one && one.at + OUTLOOK_SESSIONS <= origin.at; one = weeks[judged]) {
      levels.learn(one);
      judged += 1;
    }
    const outlook = isLongEnough(known, origin) ? outlookOf(origin, known, fits, levels) : null;
    if (outlook !== null) weeks.push({ at: origin.at, outlook, outcome: origin.outcome });
  }
  return weeks.map(({ outlook, outcome }) => ({ outlook, outcome }));
}

type KnownWeek = Origin & { readonly outcome: RiskOutcome };

const isKnown = (origin: Origin | undefined, at: number): origin is KnownWeek =>
  origin !== undefined && origin.outcome !== null && origin.at + OUTLOOK_SESSIONS <= at;

function originsOf({ sessions, closes, vix }: DailyCloses): Origin[] {
  const carried = carryForward(vix);
  const present = sessions.flatMap((_, at) => (Number.isNaN(closes[at] ?? Number.NaN) ? [] : [at]));
  const days = present.map((at) => sessions[at] ?? '');
  const levels = Float64Array.from(present, (at) => closes[at] ?? Number.NaN);
  const squares = sumsOfSquares(levels);
  const volatility = (end: number, count: number) => {
    const sum = (squares[end + 1] ?? Number.NaN) - (squares[end + 1 - count] ?? Number.NaN);
    return Math.max(Math.sqrt(Math.max(sum, 0) / count), FLOOR);
  };
  return days.flatMap((session, at): Origin[] => {
    const following = days[at + 1];
    const endsWeek = following === undefined || weekStart(following) !== weekStart(session);
    if (!endsWeek || at < LONGEST) return [];
    const ownVix = carried[present[at] ?? -1] ?? Number.NaN;
    const end = at + OUTLOOK_SESSIONS;
    const worst = Math.min(...levels.subarray(at + 1, end + 1)) / (levels[at] ?? Number.NaN) - 1;
    const outcome = end < levels.length ? { volatility: volatility(end, OUTLOOK_SESSIONS), worst } : null;
    return [
      {
        at,
        session,
        terms: [1, ...TERMS.map((count) => Math.log(volatility(at, count)))],
        logVix: Math.log(ownVix),
        band: ownVix > 0 ? vixBand(ownVix) : null,
        outcome,
      },
    ];
  });
}

/** Running sums of squared log returns: element `n + 1` includes the return of close `n`. */
function sumsOfSquares(closes: Float64Array): Float64Array {
  const sums = new Float64Array(closes.length + 1);
  for (let at = 1; at < closes.length; at += 1) {
    const change = Math.log((closes[at] ?? Number.NaN) / (closes[at - 1] ?? Number.NaN));
    sums[at + 1] = (sums[at] ?? 0) + change ** 2;
  }
  return sums;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? Number.NaN), 0);

/** The outlook of a week; null if the past weeks do not determine the regression. */
function outlookOf(
  origin: Origin,
  known: readonly KnownWeek[],
  fits: { readonly vix: LeastSquares; readonly closes: LeastSquares },
  levels: Levels,
): RiskOutlook | null {
  const withVix = known.filter(({ band }) => band !== null);
  const hasVix = origin.band !== null && isLongEnough(withVix, origin);
  const coefficients = (hasVix ? fits.vix : fits.closes).coefficients();
  if (coefficients === null) return null;
  const used = hasVix ? withVix : known;
  const middleOf = ({ terms, logVix }: Origin) => dot(hasVix ? [...terms, logVix] : terms, coefficients);
  const residuals = Float64Array.from(used, (one) => Math.log(one.outcome.volatility) - middleOf(one)).sort();
  const inBand = known.filter(({ band }) => band !== null && band === origin.band);
  const band = inBand.length < LEAST_ALIKE ? null : origin.band;
  const alike = band === null ? known : inBand;
  const middle = middleOf(origin);
  return {
    session: origin.session,
    inputs: hasVix ? 'vix and closes' : 'closes',
    weeks: used.length,
    volatility: {
      low: Math.exp(middle + quantile(residuals, levels.of('low'))),
      middle: Math.exp(middle),
      high: Math.exp(middle + quantile(residuals, 1 - levels.of('high'))),
    },
    usualVolatility: Math.exp(mean(known.map(({ outcome }) => Math.log(outcome.volatility)))),
    band,
    weeksAlike: alike.length,
    worstLine: quantile(
      Float64Array.from(alike, ({ outcome }) => outcome.worst).sort(),
      levels.of(band ?? 'any'),
    ),
    fall: shareOfFalls(alike),
    usualFall: shareOfFalls(known),
  };
}

/** True if these weeks begin ten years before the origin. */
const isLongEnough = ([first]: readonly KnownWeek[], origin: Origin) =>
  first !== undefined && origin.at - first.at >= LEAST_HISTORY;

const shareOfFalls = (weeks: readonly KnownWeek[]) =>
  mean(weeks.map(({ outcome }) => (1 + outcome.worst <= FALL ? 1 : 0)));

type Tail = 'low' | 'high' | VixBand | 'any';

/** The levels at which quantiles are taken: 10 % at first, less after misses and more after weeks without one. */
interface Levels {
  of(tail: Tail): number;
  learn(week: RiskWeek): void;
}

function createLevels(): Levels {
  const levels = new Map<Tail, number>();
  const learned = (tail: Tail) => levels.get(tail) ?? TAIL;
  const step = (tail: Tail, isMissed: boolean) =>
    levels.set(tail, learned(tail) + STEP * (TAIL - (isMissed ? 1 : 0)));
  return {
    of: (tail) => Math.min(Math.max(learned(tail), LEAST_LEVEL), MOST_LEVEL),
    learn: ({ outlook, outcome }) => {
      if (outcome === null) return;
      step('low', outcome.volatility < outlook.volatility.low);
      step('high', outcome.volatility > outlook.volatility.high);
      step(outlook.band ?? 'any', outcome.worst < outlook.worstLine);
    },
  };
}
