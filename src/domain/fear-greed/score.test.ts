import { describe, expect, test } from 'vitest';
import { noise } from '#tests/support/bars.ts';
import { fearGreedIndex, readRawColumns, scoreComponent, scoreFearGreed, scoreVolatility } from './score.ts';

const SESSIONS = 700;
const FULL = 623;

function random(seed: number, low: number, high: number): Float64Array {
  const next = noise(seed);
  return Float64Array.from({ length: SESSIONS }, () => low + (high - low) * next());
}

function none(): Float64Array {
  return new Float64Array(SESSIONS).fill(Number.NaN);
}

describe('a component', () => {
  test('is the share of the last 500 z-values strictly below today’s', () => {
    const raw = random(1, 0, 1);
    const z = (at: number): number => {
      const window = [...raw.slice(at - 124, at + 1)];
      const mean = window.reduce((sum, value) => sum + value, 0) / 125;
      const variance = window.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 125;
      return ((raw[at] ?? Number.NaN) - mean) / Math.sqrt(variance);
    };
    const score = scoreComponent(raw);
    for (const at of [FULL, 650, 699]) {
      const below = Array.from({ length: 500 }, (_, back) => z(at - back)).filter((past) => past < z(at));
      expect(score[at]).toBeCloseTo(below.length / 5, 10);
    }
  });

  test('is NaN below 250 z-values and provisional up to 500', () => {
    const score = scoreComponent(random(1, 0, 1));
    expect(score.findIndex((value) => !Number.isNaN(value))).toBe(124 + 249);
  });

  test('skips gaps', () => {
    const raw = random(3, 0, 1);
    const without = Float64Array.from([...raw].filter((_, at) => at !== 400));
    raw[400] = Number.NaN;
    const score = scoreComponent(raw);
    expect(score[400]).toBeNaN();
    expect(score[SESSIONS - 1]).toBe(scoreComponent(without)[SESSIONS - 2]);
  });
});

describe('volatility', () => {
  const calm = random(4, 14, 16);

  test('scores half the calm rank well above the mean, and a fifth from a VIX of 30', () => {
    const vix = calm.slice();
    // An earlier, higher peak, so that today's rank is not 0.
    vix[SESSIONS - 100] = 60;
    vix[SESSIONS - 1] = 29;
    expect(scoreVolatility(vix)[SESSIONS - 1]).toBeCloseTo(0.5 * 0.2, 10);
    vix[SESSIONS - 1] = 30;
    expect(scoreVolatility(vix)[SESSIONS - 1]).toBeCloseTo(0.2 * 0.2, 10);
  });

  test('is raised from 1.5 deviations above the mean on', () => {
    const window = [...calm.subarray(SESSIONS - 50, SESSIONS - 1)];
    const mean = window.reduce((sum, value) => sum + value, 0) / 49;
    const squares = window.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    /** Returns a VIX whose last value has the given z-value over 50 sessions. */
    const vixAt = (z: number) => mean + z * Math.sqrt((squares * 50) / (49 * (49 - z * z)));
    const scoreAt = (z: number) => {
      const vix = calm.slice();
      vix[SESSIONS - 1] = vixAt(z);
      return scoreVolatility(vix)[SESSIONS - 1];
    };
    expect(scoreAt(1.49)).toBe(50);
    expect(scoreAt(1.51)).toBeLessThan(50);
  });

  test('is alarming from a VIX of 30, even if that is usual', () => {
    const high = random(6, 31, 35);
    const score = scoreVolatility(high);
    expect(score[SESSIONS - 1]).toBeLessThan(20);
  });

  test('is NaN while the series is too short', () => {
    expect(scoreVolatility(calm)[49 + 248]).toBeNaN();
    expect(scoreVolatility(calm)[49 + 249]).toBe(50);
  });
});

describe('the index', () => {
  const columns = {
    sp500: random(11, 3000, 4000),
    price_strength: random(12, -5, 5),
    price_breadth: random(13, -900, 900),
    put_call: random(14, 0.6, 1.2),
    vix: random(15, 12, 28),
    junk_bond_spread: random(16, 1, 3),
    safe_haven: random(17, -5, 5),
  };

  test('counts many puts and a wide spread as fear', () => {
    const put_call = columns.put_call.slice();
    const junk_bond_spread = columns.junk_bond_spread.slice();
    put_call[SESSIONS - 1] = 9;
    junk_bond_spread[SESSIONS - 1] = 9;
    const fearful = { ...columns, put_call, junk_bond_spread };
    const { components } = scoreFearGreed(readRawColumns((column) => fearful[column]));
    expect(components.put_call_options[SESSIONS - 1]).toBe(0);
    expect(components.junk_bond_demand[SESSIONS - 1]).toBe(0);
  });

  test('needs five components', () => {
    const without = { ...columns, put_call: none(), vix: none() };
    const five = scoreFearGreed(readRawColumns((column) => without[column]));
    expect(five.value[SESSIONS - 1]).not.toBeNaN();
    const four = fearGreedIndex({ ...five.components, safe_haven_demand: none() });
    expect(four[SESSIONS - 1]).toBeNaN();
  });
});
