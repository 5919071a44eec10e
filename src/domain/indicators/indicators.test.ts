import { describe, expect, it } from 'vitest';
import { highLowIndex } from './high-low-index.ts';
import { macd } from './macd.ts';
import { rsi } from './rsi.ts';
import { tickProxy } from './tick.ts';
import { trin } from './trin.ts';

const NONE = Number.NaN;
const of = (...values: number[]) => Float64Array.of(...values);
const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 10));

describe('RSI', () => {
  it('equals the published worksheet', () => {
    // StockCharts ChartSchool, worksheet cs-rsi.xls:
    // https://school.stockcharts.com/doku.php?id=technical_indicators:relative_strength_index_rsi
    const closes = [
      44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931,
      46.0328, 45.614, 46.282, 46.282, 46.0028, 46.0328, 46.4116, 46.2222, 45.6439,
    ];
    const published = [70.53, 66.32, 66.55, 69.41, 66.36, 57.97].map((value) => expect.closeTo(value, 2));
    expect([...rsi(of(...closes), 14)]).toEqual([...Array(14).fill(NONE), ...published]);
  });

  it('is 100 without a loss and 0 without a gain, and skips a gap', () => {
    const rising = Float64Array.from({ length: 20 }, (_, at) => 100 + at);
    expect([rsi(rising, 14)[19], rsi(rising.toReversed(), 14)[19]]).toEqual([100, 0]);
    const gap = rsi(of(1, 2, NONE, 1, 2, 3), 4);
    expect([gap[2], gap[5]]).toEqual([NONE, expect.closeTo(75, 10)]);
  });
});

describe('MACD', () => {
  it('is the fast less the slow average', () => {
    // The EMA of 2 closes is 1.5, 2.5, 4.8333, 4.2778 from the second close on; the EMA of 3 is 2, 4, 4 from the third.
    expect([...macd(of(1, 2, 3, 6, 4), 2, 3).slice(2)]).toEqual(close([0.5, 5 / 6, 5 / 18]));
  });

  it('with 12 and 26 starts at the 26th close', () => {
    const line = macd(
      Float64Array.from({ length: 60 }, (_, at) => at),
      12,
      26,
    );
    expect(line.findIndex((value) => !Number.isNaN(value))).toBe(25);
    // An exponential average of n values lags a straight line by (n − 1)/2 values.
    expect(line[59]).toBeCloseTo(7, 10);
  });
});

it.each([
  ['is 1 if volume is proportional to issues', [300, 100, 600, 200], 1],
  ['is below 1 if more volume rises', [300, 100, 1200, 200], 0.5],
  ['is NaN without declines', [300, 0, 600, 0], NONE],
  ['is NaN without declining volume', [300, 100, 600, 0], NONE],
  ['is NaN without advancing volume', [300, 100, 0, 200], NONE],
  ['is 0 if no issue advances despite some advancing volume', [0, 100, 1, 200], 0],
] as const)('TRIN %s', (_, counts, value) => {
  const [advancing, declining, advancingVolume, decliningVolume] = counts.map((count) => of(count)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  expect([...trin({ advancing, declining, advancingVolume, decliningVolume })]).toEqual([value]);
});

it.each([
  ['scales the difference of upticks and downticks', [11, 11, 9, 10], [10, 10, 10, 10], 700],
  ['excludes a member without both closes', [11, NONE], [10, 10], 2800],
  ['is null without both closes of any member', [NONE], [10], null],
  ['is null without members', [], [], null],
] as const)('the substitute for the TICK %s', (_, last, before, value) => {
  expect(tickProxy(of(...last), of(...before))).toBe(value);
});

describe('the High/Low index', () => {
  it('is the mean share of new highs among new highs and lows, without sessions that have neither', () => {
    const index = highLowIndex(
      of(30, 5, 0, 30, 5, 0, 30, 5, 0, 3, 0),
      of(10, 0, 8, 10, 0, 8, 10, 0, 8, 1, 0),
    );
    expect([...index.slice(8)]).toEqual([NONE, 60, expect.closeTo(525 / 9, 12)]);
  });

  it('is NaN for a session without counts', () => {
    const [highs, lows] = [3, 1].map((value) => new Float64Array(12).fill(value)) as [
      Float64Array,
      Float64Array,
    ];
    expect([...highLowIndex(highs.with(10, NONE), lows).slice(9)]).toEqual([75, NONE, 75]);
    expect([...highLowIndex(highs, lows.with(10, NONE)).slice(9)]).toEqual([75, NONE, 75]);
  });
});
