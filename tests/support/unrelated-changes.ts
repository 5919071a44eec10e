import { createRandomStream } from '#collector/simulated/random.ts';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import type { IndexDay } from '#domain/record/base-rates.ts';

/** The sessions of 260 weeks. */
const SESSIONS = sessionsBetween('2020-01-06', '2024-12-27');
export const TABLE_SESSIONS = SESSIONS.length;

/** Mean, standard deviation and daily autocorrelation of the real index from 1998 to 2026. */
const INDEX = { mean: 51, deviation: 21, autocorrelation: 0.965 };
/** Mean and standard deviation of the daily change, percent. */
const CHANGE = { mean: 0.03, deviation: 1.1 };

/** A Fear & Greed index that is as persistent as the real one. */
export function simulatedIndex(count: number, seed: string): number[] {
  const { normal } = createRandomStream(seed);
  const { mean, deviation, autocorrelation } = INDEX;
  let level = normal();
  return Array.from({ length: count }, () => {
    level = autocorrelation * level + Math.sqrt(1 - autocorrelation ** 2) * normal();
    return Math.min(100, Math.max(0, mean + deviation * level));
  });
}

/** The index of 260 weeks with closes that follow daily changes (percent). */
export function withChanges(index: readonly (number | null)[], changes: readonly number[]): IndexDay[] {
  let close = 1_000;
  return SESSIONS.map((session, at) => {
    close *= 1 + (changes[at] ?? Number.NaN) / 100;
    return { session, fearGreed: index[at] ?? null, close };
  });
}

/** The index of 260 weeks with independent normal changes. */
export function withSimulatedChanges(index: readonly (number | null)[], seed: string): IndexDay[] {
  const { normal } = createRandomStream(seed);
  return withChanges(
    index,
    SESSIONS.map(() => CHANGE.mean + CHANGE.deviation * normal()),
  );
}
