import { describe, expect, test } from 'vitest';
import { barsOf, nobody } from '#tests/support/bars.ts';
import type { BarMatrix } from '../market-history.ts';
import { aboveAverage, computeSectors, countMembers, shareOf } from './sector-readings.ts';

const SESSIONS = 210;
const rising = Array.from({ length: SESSIONS }, (_, at) => 100 + at);
const falling = rising.toReversed();
const index = Float64Array.from({ length: SESSIONS }, (_, at) => 1000 + at);

describe('sector strength', () => {
  test('is the mean of three shares of the sector’s members, sorted by sector', () => {
    const bars = barsOf(
      { U1: falling, E1: rising, E2: falling, E3: rising, E4: rising },
      { sectors: { U1: 'Utilities' } },
    );
    const { sectors, meanStrength, aboveFast } = computeSectors(bars, nobody(bars), index);
    expect(sectors.map(({ sector }) => sector)).toEqual(['Energy', 'Utilities']);
    // Three of four members are above both averages and outperform the index.
    expect(sectors[0]?.strength[SESSIONS - 1]).toBe(75);
    expect(sectors[1]?.strength[SESSIONS - 1]).toBe(0);
    expect(meanStrength[SESSIONS - 1]).toBe(37.5);
    expect(aboveFast[SESSIONS - 1]).toBe(60);
  });

  test('does not count a member that gains less than the index', () => {
    const bars = barsOf({ E1: rising });
    const steep = index.map((close, at) => close * 1.05 ** at);
    const { sectors } = computeSectors(bars, nobody(bars), steep);
    expect(sectors[0]?.strength[SESSIONS - 1]).toBeCloseTo(200 / 3, 10);
  });

  test('is NaN before the 200th session and without an index', () => {
    const bars = barsOf({ E1: rising });
    const { sectors } = computeSectors(bars, nobody(bars), index);
    expect(sectors[0]?.strength[198]).toBeNaN();
    expect(sectors[0]?.strength[199]).toBe(100);
    const blind = computeSectors(
      bars,
      nobody(bars),
      index.map(() => Number.NaN),
    );
    expect(blind.sectors[0]?.strength[SESSIONS - 1]).toBeNaN();
    expect(blind.aboveSlow[SESSIONS - 1]).toBe(100);
  });
});

describe('the share above an average', () => {
  /** The shares of all members and of each of two sectors. */
  const sharesOf = (bars: BarMatrix, n: number, leftOut = nobody(bars)) => {
    const counts = countMembers(bars, leftOut, ['Energy', 'Utilities'], aboveAverage(n));
    const { length } = bars.sessions;
    return { all: shareOf(counts, length), each: counts.map((group) => shareOf([group], length)) };
  };

  test('counts the members with at least n closes, by group and in total', () => {
    const bars = barsOf(
      { UP: [1, 2, 3], DOWN: [3, 2, 1], OTHER: [1, 1, 4], YOUNG: [null, 1, 2] },
      { sectors: { OTHER: 'Utilities', YOUNG: 'Utilities' } },
    );
    const { all, each } = sharesOf(bars, 3);
    expect(each.map((share) => share[2])).toEqual([50, 100]);
    expect(all[2]).toBeCloseTo(200 / 3, 10);
    expect(all[1]).toBeNaN();
  });

  test('excludes a member without a bar from the session', () => {
    const bars = barsOf({ GAP: [1, null, 3, null, 5], OTHER: [5, 4, 3, 2, 1] });
    expect([...sharesOf(bars, 3).all].slice(2)).toEqual([0, 0, 50]);
  });

  test('does not count a price that equals its average', () => {
    const { all } = sharesOf(barsOf({ FLAT: Array.from({ length: 400 }, () => 15.07) }), 50);
    expect(all.slice(49).every((percent) => percent === 0)).toBe(true);
  });

  test('excludes a member only from the session of its flagged move', () => {
    const { all } = sharesOf(barsOf({ A: [1, 2, 3, 4] }), 2, Uint8Array.of(0, 0, 1, 0));
    expect([...all]).toEqual([Number.NaN, 100, Number.NaN, 100]);
  });
});
