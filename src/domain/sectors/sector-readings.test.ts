import { describe, expect, test } from 'vitest';
import { barsOf, nobody } from '#tests/support/bars.ts';
import { computeSectors } from './sector-readings.ts';

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
