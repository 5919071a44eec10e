import { weeksAfter } from '../calendar/iso-week.ts';
import { decideSignal, verdictWithout } from '../signal/decide-signal.ts';
import type { ReadingName, Readings } from '../signal/flips.ts';
import { SIGNAL_INPUTS, SIGNAL_WEIGHTS, type SignalInput, type SignalInputs } from '../signal/inputs.ts';
import { mean } from '../statistics.ts';
import { type OfSession, weeksOf } from './weeks-of.ts';

/** The stored inputs of the signal at the end of a session. */
export interface InputDay extends OfSession {
  readonly inputs: SignalInputs;
  readonly readings: Readings;
}

/** The signal of the last session of each week, computed from the stored inputs with the current formula. */
export const scoredWeeks = (days: readonly InputDay[]) =>
  weeksOf(days).map(({ monday, last }) => ({ monday, signal: decideSignal(last.inputs) }));
export type ScoredWeek = ReturnType<typeof scoredWeeks>[number];

/** The share (percent) of the score's variance from each input: covariance over variance; null if it did not vary. */
export function varianceShares(weeks: readonly ScoredWeek[]): Readonly<Record<SignalInput, number>> | null {
  const scores = weeks
    .map(({ signal }) => signal.rows.map(({ score }) => score ?? Number.NaN))
    .filter((row) => !row.some(Number.isNaN));
  if (scores.length === 0) return null;
  const points = scores.map((row) =>
    row.map((score, at) => (score * SIGNAL_WEIGHTS[SIGNAL_INPUTS[at] ?? 'fearGreed']) / 100),
  );
  const totals = points.map((row) => row.reduce((sum, one) => sum + one, 0));
  const totalMean = mean(totals);
  const variance = mean(totals.map((total) => (total - totalMean) ** 2));
  if (variance < 1e-12) return null;
  const shares = SIGNAL_INPUTS.map((input, at) => {
    const own = points.map((row) => row[at] ?? Number.NaN);
    const ownMean = mean(own);
    const covariance = mean(own.map((one, week) => (one - ownMean) * ((totals[week] ?? 0) - totalMean)));
    return [input, (100 * covariance) / variance];
  });
  return Object.fromEntries(shares);
}

/** The largest rise and fall within each complete week, from the last value of the week before, if it has one. */
export function weeklyMoves(days: readonly InputDay[], name: ReadingName) {
  const weeks = weeksOf(days.filter(({ readings }) => readings[name] !== null));
  const valueAt = (day: InputDay) => day.readings[name] ?? Number.NaN;
  const lastOf = new Map(weeks.map(({ monday, last }) => [monday, valueAt(last)]));
  return weeks.flatMap(({ monday, days: own }) => {
    const before = lastOf.get(weeksAfter(monday, -1));
    if (before === undefined) return [];
    const values = own.map(valueAt);
    return [{ rise: Math.max(...values) - before, fall: before - Math.min(...values) }];
  });
}
export type WeeklyMove = ReturnType<typeof weeklyMoves>[number];

/** The lower ends (points) of the ranges of distance in which the stability of verdicts is shown. */
export const DISTANCES = [0, 1, 2, 5, 10] as const;

/** Index in DISTANCES of the range that contains a distance. */
export function distanceBand(distance: number): number {
  return DISTANCES.findLastIndex((from) => distance >= from);
}

/** The weeks by their distance (points) to the nearest other verdict, and those that another verdict followed. */
export function verdictStability(weeks: readonly ScoredWeek[]) {
  const verdictOfWeek = new Map(weeks.map(({ monday, signal }) => [monday, signal.verdict]));
  const followed = weeks.flatMap(({ monday, signal }) => {
    const after = verdictOfWeek.get(weeksAfter(monday, 1)) ?? 'insufficient';
    if (after === 'insufficient' || signal.next === null) return [];
    return [{ band: distanceBand(signal.next.distance), changed: after !== signal.verdict }];
  });
  return DISTANCES.map((from, place) => {
    const own = followed.filter(({ band }) => band === place);
    const changed = own.filter((week) => week.changed).length;
    return { from, below: DISTANCES[place + 1] ?? null, weeks: own.length, changed };
  });
}

/** The weeks that have a verdict with and without an input, and the number of them in which the two differ. */
export interface Omission {
  readonly weeks: number;
  readonly changed: number;
}

/** The weeks in which the verdict would change without an input. Leaves out weeks with too few inputs. */
export function omissions(weeks: readonly ScoredWeek[]): Readonly<Record<SignalInput, Omission>> {
  const counts = SIGNAL_INPUTS.map((input) => {
    const verdicts = weeks.flatMap(({ signal }) => {
      const without = verdictWithout(signal, input);
      return without === null ? [] : [without !== signal.verdict];
    });
    return [input, { weeks: verdicts.length, changed: verdicts.filter((isOther) => isOther).length }];
  });
  return Object.fromEntries(counts);
}
