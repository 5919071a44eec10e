import { mean, quantile } from '../statistics.ts';
import { createLeastSquares, type LeastSquares } from './least-squares.ts';
import {
  type DailyCloses,
  MOVE_SESSIONS,
  OUTLOOK_SESSIONS,
  type PastWeek,
  pastWeeks,
  type RiskOutcome,
  TERMS,
  type VixBand,
} from './past-weeks.ts';

/** Name of this rule. It changes with each change of a constant or a formula in this file or in `past-weeks.ts`. */
export const RISK_RULE = 'r1';

/** Least number of sessions between the first and the newest week of the regression: ten years. */
export const LEAST_HISTORY = 2_520;
/** Least number of past weeks in a band of the VIX. */
const LEAST_ALIKE = 50;
/** Share of outcomes below the low and above the high end of a range. */
const TAIL = 0.1;
/** Change of a tail's level after an outcome (adaptive conformal inference, Gibbs and Candès 2021), and its limits. */
const STEP = 0.02;
const [LEAST_LEVEL, MOST_LEVEL] = [0.005, 0.3];
/** A fall to this share of the close counts as a fall of 5 %. */
const FALL = 0.95;
/** Shares of the past moves that the two parts of the fan contain. */
const FAN = { half: 0.5, most: 0.8 } as const;

/** A middle and its 80 % range. */
export interface RiskRange {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** The outlook of one week, from closes up to its last session only. */
export interface RiskOutlook {
  /** The last session of the week. */
  readonly session: string;
  readonly close: number;
  /** Null without one. */
  readonly vix: number | null;
  /** Inputs of the regression: VIX and past volatility, or past volatility only if the VIX is missing. */
  readonly inputs: 'vix and closes' | 'closes';
  /** Number of past weeks in the regression. */
  readonly weeks: number;
  /** Volatility of the next 20 sessions (root mean square of daily log returns). */
  readonly volatility: RiskRange;
  /** The same from the mean and the quantiles of all past weeks, with which the outlook is compared. */
  readonly usual: RiskRange;
  /** The same from a regression on the VIX alone; null without a VIX. */
  readonly vixAlone: RiskRange | null;
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
  /** Moves to the close 5, 10, 15 and 20 sessions later (share): median and 80 % quantile of the sizes. */
  readonly half: readonly number[];
  readonly most: readonly number[];
}

export interface RiskWeek {
  readonly outlook: RiskOutlook;
  /** Null until 20 sessions have passed. */
  readonly outcome: RiskOutcome | null;
}

/** True if one of the 20 closes was 5 % or more below the close of the week. */
export const hasFallen = ({ worst }: Pick<RiskOutcome, 'worst'>): boolean => 1 + worst <= FALL;

/**
 * The outlook of each week with ten years of history before it, oldest first; empty with a shorter history. The last week may be
 * unfinished. Sessions without a close are left out, and a VIX is carried over five sessions.
 *
 * Log volatility is a linear function of log VIX and past log volatility, estimated from all weeks whose outcome is known. The ends of
 * the range are quantiles of the residuals of these weeks, and the line a quantile of their worst closes. Their levels
 * follow past misses, so that each is missed as often as it says.
 */
export function riskWeeks(history: DailyCloses): RiskWeek[] {
  const origins = pastWeeks(history);
  const fits = {
    both: createLeastSquares(TERMS.length + 2),
    closes: createLeastSquares(TERMS.length + 1),
    vix: createLeastSquares(2),
  };
  const levels = createLevels();
  const known: KnownWeek[] = [];
  const weeks: (RiskWeek & { readonly at: number })[] = [];
  let next = 0;
  let judged = 0;
  for (const origin of origins) {
    for (let one = origins[next]; isPast(one, origin.at); one = origins[next]) {
      next += 1;
      if (!hasOutcome(one)) continue;
      known.push(one);
      const actual = Math.log(one.outcome.volatility);
      fits.closes.add(one.terms, actual);
      if (one.band === null) continue;
      fits.both.add(termsOf.both(one), actual);
      fits.vix.add(termsOf.vix(one), actual);
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

export type KnownWeek = PastWeek & { readonly outcome: RiskOutcome };

/** True if the outcome of a week is known. */
export const hasOutcome = (week: PastWeek): week is KnownWeek => week.outcome !== null;

const isPast = (week: PastWeek | undefined, at: number): week is PastWeek =>
  week !== undefined && week.at + OUTLOOK_SESSIONS <= at;

/** The terms of each regression. */
const termsOf = {
  both: ({ terms, vix }: PastWeek) => [...terms, Math.log(vix)],
  closes: ({ terms }: PastWeek) => terms,
  vix: ({ vix }: PastWeek) => [1, Math.log(vix)],
};

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? Number.NaN), 0);
const sorted = (values: readonly number[]) => Float64Array.from(values).sort();
const logOutcome = ({ outcome }: KnownWeek) => Math.log(outcome.volatility);

/** Returns a function for the log volatility that a regression expects after a week; null if it is not determined. */
function expectation(fit: LeastSquares, terms: (week: PastWeek) => readonly number[]) {
  const coefficients = fit.coefficients();
  return coefficients === null ? null : (week: PastWeek) => dot(terms(week), coefficients);
}

/** The range of volatility around an expected logarithm. `low` and `high` are the levels of its tails. */
function rangeOf(middle: number, residuals: Float64Array, low = TAIL, high = TAIL): RiskRange {
  return {
    low: Math.exp(middle + quantile(residuals, low)),
    middle: Math.exp(middle),
    high: Math.exp(middle + quantile(residuals, 1 - high)),
  };
}

/** The outlook of a week; null if the past weeks do not determine the regression. */
function outlookOf(
  origin: PastWeek,
  known: readonly KnownWeek[],
  fits: Readonly<Record<keyof typeof termsOf, LeastSquares>>,
  levels: ReturnType<typeof createLevels>,
): RiskOutlook | null {
  const withVix = known.filter(({ band }) => band !== null);
  const hasVix = origin.band !== null && isLongEnough(withVix, origin);
  const name = hasVix ? 'both' : 'closes';
  const expected = expectation(fits[name], termsOf[name]);
  if (expected === null) return null;
  const byVix = hasVix ? expectation(fits.vix, termsOf.vix) : null;
  const used = hasVix ? withVix : known;
  const actual = used.map(logOutcome);
  const fitted = used.map(expected);
  const sortedResiduals = (of: readonly number[]) =>
    sorted(actual.map((value, at) => value - (of[at] ?? Number.NaN)));
  const volatility = rangeOf(expected(origin), sortedResiduals(fitted), levels.of('low'), levels.of('high'));
  const usual = mean(known.map(logOutcome));
  const inBand = known.filter(({ band }) => band !== null && band === origin.band);
  const band = inBand.length < LEAST_ALIKE ? null : origin.band;
  const alike = band === null ? known : inBand;
  const scales = fitted.map(Math.exp);
  const moves = MOVE_SESSIONS.map((_, at) =>
    sorted(
      used.map(({ outcome }, week) => Math.abs(outcome.changes[at] ?? 0) / (scales[week] ?? Number.NaN)),
    ),
  );
  const movesWithin = (share: number) => moves.map((sizes) => volatility.middle * quantile(sizes, share));
  return {
    session: origin.session,
    close: origin.close,
    vix: Number.isNaN(origin.vix) ? null : origin.vix,
    inputs: hasVix ? 'vix and closes' : 'closes',
    weeks: used.length,
    volatility,
    usual: rangeOf(usual, sorted(known.map((one) => logOutcome(one) - usual))),
    vixAlone: byVix && rangeOf(byVix(origin), sortedResiduals(used.map(byVix))),
    band,
    weeksAlike: alike.length,
    worstLine: quantile(sorted(alike.map(({ outcome }) => outcome.worst)), levels.of(band ?? 'any')),
    fall: shareOfFalls(alike),
    usualFall: shareOfFalls(known),
    half: movesWithin(FAN.half),
    most: movesWithin(FAN.most),
  };
}

/** True if these weeks begin ten years before the origin. */
const isLongEnough = ([first]: readonly KnownWeek[], origin: PastWeek) =>
  first !== undefined && origin.at - first.at >= LEAST_HISTORY;

/** The share of weeks with a fall of 5 %. */
export const shareOfFalls = (weeks: readonly KnownWeek[]): number =>
  mean(weeks.map(({ outcome }) => (hasFallen(outcome) ? 1 : 0)));

type Tail = 'low' | 'high' | VixBand | 'any';

/** The levels at which quantiles are taken: 10 % at first, less after misses and more after weeks without one. */
function createLevels() {
  const levels = new Map<Tail, number>();
  const learned = (tail: Tail) => levels.get(tail) ?? TAIL;
  const step = (tail: Tail, isMissed: boolean) =>
    levels.set(tail, learned(tail) + STEP * (TAIL - (isMissed ? 1 : 0)));
  return {
    of: (tail: Tail) => Math.min(Math.max(learned(tail), LEAST_LEVEL), MOST_LEVEL),
    learn: ({ outlook, outcome }: RiskWeek) => {
      if (outcome === null) return;
      step('low', outcome.volatility < outlook.volatility.low);
      step('high', outcome.volatility > outlook.volatility.high);
      step(outlook.band ?? 'any', outcome.worst < outlook.worstLine);
    },
  };
}
