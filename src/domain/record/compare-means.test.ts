import { describe, expect, it } from 'vitest';
import { noise } from '#tests/support/bars.ts';
import { formatDay } from '../calendar/days.ts';
import { type CloseWindow, compareMeans } from './compare-means.ts';

/** A Monday. */
const FIRST = 18_266;
const day = (week: number) => formatDay(FIRST + 7 * week);

/** Windows over weekly closes. */
function windowsOf(closes: readonly number[], horizon: number): CloseWindow[] {
  return closes.slice(horizon).map((exitClose, at) => {
    const entryClose = closes[at] ?? Number.NaN;
    const [entrySession, exitSession] = [day(at), day(at + horizon)];
    const changePercent = (exitClose / entryClose - 1) * 100;
    return { week: day(at - 1), entrySession, entryClose, exitSession, exitClose, changePercent };
  });
}

/** Closes that rise by `lift` percent more in every second group of eight weeks. */
function closesWith(lift: number): number[] {
  const next = noise(7);
  let close = 1_000;
  return Array.from({ length: 300 }, (_, week) => {
    close *= 1 + (4 * (next() - 0.5) + (isLifted(week - 1) ? lift : 0)) / 100;
    return close;
  });
}
const isLifted = (week: number) => Math.floor(week / 8) % 2 === 1;

function compare(lift: number, horizon = 1) {
  const all = windowsOf(closesWith(lift), horizon);
  const lifted = all.filter((_, week) => isLifted(week));
  const others = all.filter((_, week) => !isLifted(week));
  return compareMeans([{ of: lifted, with: others }])[0];
}

describe('a comparison of means', () => {
  it('has an interval around the difference that contains the true one', () => {
    for (const lift of [0, 1]) {
      const difference = compare(lift);
      expect(difference?.low).toBeLessThan(lift);
      expect(difference?.high).toBeGreaterThan(lift);
      expect(difference?.standsOut).toBe(lift > 0);
    }
  });

  it('needs a larger difference to stand out among many comparisons', () => {
    const all = windowsOf(closesWith(0.3), 1);
    const lifted = { of: all.filter((_, week) => isLifted(week)), with: all };
    const others = Array.from({ length: 40 }, (_, at) => ({
      of: all.slice(7 * at, 7 * at + 7),
      with: all,
    }));
    const [alone] = compareMeans([lifted]);
    const [among] = compareMeans([lifted, ...others]);
    expect([alone?.standsOut, among?.standsOut]).toEqual([true, false]);
    expect(among?.value).toBe(alone?.value);
  });

  it('has an interval without width if the closes never change', () => {
    const all = windowsOf(
      Array.from({ length: 50 }, () => 100),
      4,
    );
    expect(compareMeans([{ of: all.slice(0, 20), with: all }])).toEqual([
      { value: 0, low: 0, high: 0, standsOut: false },
    ]);
    expect(compareMeans([])).toEqual([]);
  });
});
