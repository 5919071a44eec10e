import { createBits, quantile } from '../statistics.ts';
import { meanChange, type WindowChange } from './summarise-changes.ts';

/** Share of the true differences that lie in their intervals. */
const INTERVAL_COVERAGE = 0.9;
/** Share of sets of unrelated changes in which no difference stands out. */
const STAND_OUT_CONFIDENCE = 0.95;
const RESAMPLES = 4_000;
/** Number of changes whose signs are drawn together, so that their sums are computed once for each set of signs. */
const TOGETHER = 8;

/** A window with its closes, which are above zero. */
export interface CloseWindow extends WindowChange {
  readonly entryClose: number;
  readonly exitClose: number;
}

/** Two groups of windows, neither of them empty. */
export interface Comparison {
  readonly of: readonly CloseWindow[];
  readonly with: readonly CloseWindow[];
}

/**
 * Compares the means of groups of windows, which may overlap. A difference of means is a weighted sum of the changes
 * from close to close, so overlapping windows share these changes instead of being samples of their own (Hodrick 1992,
 * Review of Financial Studies 5). The wild bootstrap keeps the groups and the size of each change, and draws its sign
 * (Liu 1988; signs by Davidson and Flachaire 2008, Journal of Econometrics 146). Each difference is divided by the root
 * of its sum of squares. An interval has the quantile of this ratio as half-width. A difference stands out if its ratio
 * is larger than the 95 % quantile of the largest ratio in each resample (max-t, Westfall and Young 1993).
 *
 * The signs are pseudorandom with a fixed seed: equal windows have equal intervals.
 */
export function compareMeans(comparisons: readonly Comparison[]) {
  const parts = comparisons.map(partsOf(changesBetween(comparisons)));
  const errors = parts.map((own) => Math.sqrt(own.reduce((sum, part) => sum + part ** 2, 0)));
  const { ratios, largest } = resample(parts, errors);
  const bound = quantile(largest, STAND_OUT_CONFIDENCE);
  return comparisons.map((comparison, at) => {
    const value = meanChange(comparison.of) - meanChange(comparison.with);
    const error = errors[at] ?? Number.NaN;
    const half = error * quantile(ratios[at] ?? new Float64Array(), INTERVAL_COVERAGE);
    return {
      // The mean change of one group minus that of the other, percentage points.
      value,
      // The ends of its 90 % interval.
      low: value - half,
      high: value + half,
      // True if unrelated changes give a difference of this size anywhere in the set in 5 % of all sets at most.
      standsOut: Math.abs(value) > error * bound,
    };
  });
}

function changesBetween(comparisons: readonly Comparison[]) {
  const closes = new Map<string, number>();
  for (const windows of new Set(comparisons.flatMap((one) => [one.of, one.with]))) {
    for (const { entrySession, entryClose, exitSession, exitClose } of windows) {
      closes.set(entrySession, entryClose).set(exitSession, exitClose);
    }
  }
  const sessions = [...closes.keys()].sort();
  const logs = sessions.map((session) => 100 * Math.log(closes.get(session) ?? Number.NaN));
  const mean = ((logs.at(-1) ?? 0) - (logs[0] ?? 0)) / (sessions.length - 1);
  return {
    // Index of each session among the sessions at which a window begins or ends, ascending.
    places: new Map(sessions.map((session, at) => [session, at])),
    // The change from each of these sessions to the next one, minus the mean of these changes, percent.
    changes: Float64Array.from(logs.slice(1), (log, at) => log - (logs[at] ?? Number.NaN) - mean),
  };
}

/** Returns the part of a difference that comes from each change between two closes. */
const partsOf =
  ({ places, changes }: ReturnType<typeof changesBetween>) =>
  (comparison: Comparison): Float64Array => {
    const weights = new Float64Array(changes.length + 1);
    const add = (session: string, weight: number) => {
      const place = places.get(session) ?? Number.NaN;
      weights[place] = (weights[place] ?? 0) + weight;
    };
    const addGroup = (windows: readonly WindowChange[], sign: number) => {
      for (const { entrySession, exitSession } of windows) {
        add(entrySession, sign / windows.length);
        add(exitSession, -sign / windows.length);
      }
    };
    addGroup(comparison.of, 1);
    addGroup(comparison.with, -1);
    let weight = 0;
    return changes.map((change, at) => {
      weight += weights[at] ?? 0;
      return weight * change;
    });
  };

/** Draws the signs. Returns the sorted absolute ratios of each difference, and the largest one of each resample. */
function resample(parts: readonly Float64Array[], errors: readonly number[]) {
  const width = parts.length;
  const sums = signedSums(parts, errors);
  const ratios = parts.map((_, at) =>
    Float64Array.from({ length: RESAMPLES }, (__, draw) => Math.abs(sums[draw * width + at] ?? Number.NaN)),
  );
  const largest = Float64Array.from({ length: RESAMPLES }, (_, draw) =>
    ratios.reduce((most, own) => Math.max(most, own[draw] ?? 0), 0),
  );
  for (const own of ratios) own.sort();
  return { ratios, largest: largest.sort() };
}

/** The sums of the parts with drawn signs, in errors: for each resample, one for each difference. */
function signedSums(parts: readonly Float64Array[], errors: readonly number[]): Float64Array {
  const width = parts.length;
  const sets = Math.ceil((parts[0]?.length ?? 0) / TOGETHER);
  const scaled = new Float64Array(sets * TOGETHER * width);
  parts.forEach((own, at) => {
    const error = errors[at] || 1;
    own.forEach((part, step) => {
      scaled[step * width + at] = part / error;
    });
  });
  const sums = new Float64Array(RESAMPLES * width);
  const nextBits = createBits();
  for (let set = 0; set < sets; set += 1) {
    const ofSigns = sumsOfSigns(scaled.subarray(set * TOGETHER * width, (set + 1) * TOGETHER * width), width);
    for (let draw = 0; draw < RESAMPLES; draw += 1) {
      const to = draw * width;
      const from = (nextBits() >>> (32 - TOGETHER)) * width;
      // The casts avoid checks for undefined in this loop, which takes most of the time.
      for (let at = 0; at < width; at += 1) {
        sums[to + at] = (sums[to + at] as number) + (ofSigns[from + at] as number);
      }
    }
  }
  return sums;
}

/** The sums of parts for each set of signs. Bit n of the set's number is 1 if part n is added, 0 if it is subtracted. */
function sumsOfSigns(parts: Float64Array, width: number): Float64Array {
  const sums = new Float64Array(2 ** TOGETHER * width);
  for (let at = 0; at < width; at += 1) {
    for (let place = at; place < parts.length; place += width) {
      sums[at] = (sums[at] ?? 0) - (parts[place] ?? 0);
    }
    for (let signs = 1; signs < 2 ** TOGETHER; signs += 1) {
      // The same set with its lowest bit off is known already.
      const lowest = 31 - Math.clz32(signs & -signs);
      const before = sums[(signs & (signs - 1)) * width + at] ?? 0;
      sums[signs * width + at] = before + 2 * (parts[lowest * width + at] ?? 0);
    }
  }
  return sums;
}
