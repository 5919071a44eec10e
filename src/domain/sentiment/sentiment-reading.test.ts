import { describe, expect, test } from 'vitest';
import { noise, weekdays } from '#tests/support/bars.ts';
import { macd } from '../indicators/macd.ts';
import { rsi } from '../indicators/rsi.ts';
import { percentileRank, sma } from '../indicators/windows.ts';
import {
  computeSentiment,
  computeTrend,
  movingAverageTrend,
  volumeConfirmation,
  volumeRatio,
  volumeTrend,
  weeklyBars,
  weeklyIndicators,
} from './sentiment-reading.ts';

test.each([
  [3, 2, 1, 'bullish'],
  [1, 2, 3, 'bearish'],
  [3, 1, 2, 'neutral'],
  [1, 3, 2, 'neutral'],
  [3, 2, Number.NaN, null],
] as const)('the trend of the averages %d, %d and %d is %s', (close, fast, slow, trend) => {
  expect(movingAverageTrend(close, fast, slow)).toBe(trend);
});

test.each([
  [1.03, 'increasing'],
  [1.02, 'neutral'],
  [0.98, 'neutral'],
  [0.97, 'decreasing'],
  [Number.NaN, null],
] as const)('the trend of a volume of %d times its average is %s', (ratio, trend) => {
  expect(volumeTrend(ratio)).toBe(trend);
});

test('has a volume ratio of the short mean to the long mean', () => {
  const ratio = volumeRatio(Float64Array.of(10, 10, 20, 40), 2, 4);
  expect(ratio[2]).toBeNaN();
  expect(ratio[3]).toBe(1.5);
  expect(volumeRatio(new Float64Array(4), 2, 4)[3]).toBeNaN();
});

const SESSIONS = weekdays(1000);
const rising = Float64Array.from(SESSIONS, (_, at) => 1000 * Math.exp((at / 900) ** 2));

function none(): Float64Array {
  return new Float64Array(SESSIONS.length).fill(Number.NaN);
}

const ofIndex = (indexVolume: Float64Array) => ({ indexVolume, memberVolume: none() });

const next = noise(21);
const walk = [1000];
for (let at = 1; at < SESSIONS.length; at++) walk.push((walk[at - 1] ?? 0) * (1 + 0.03 * (next() - 0.49)));
const close = Float64Array.from(walk);
const volume = Float64Array.from(SESSIONS, (_, at) => 1 + next() + 0.5 * Math.sin(at / 15));
const daily = (fast: number, slow: number, strength: number) => {
  const line = macd(close, fast, slow);
  const relative = line.map((points, at) => points / (close[at] ?? Number.NaN));
  return { rsi: rsi(close, strength), macd: line, macdRank: percentileRank(relative, 500, 100) };
};
const weekly = { rsi: 14, macd: { fast: 12, slow: 26 } };
test.each([
  ['short', daily(6, 13, 7), [5, 10], [5, 20], 5],
  ['medium', daily(12, 26, 14), [20, 50], [20, 60], 63],
  ['long', weeklyIndicators(SESSIONS, close, weekly), [50, 200], [60, 250], 252],
] as const)(
  'the three timeframes %s is read over its own spans',
  (timeframe, momentum, [fast, slow], [recent, usual], back) => {
    const series = computeSentiment(SESSIONS, close, ofIndex(volume)).find(
      (each) => each.timeframe === timeframe,
    );
    expect(series?.rsi).toEqual(momentum.rsi);
    expect(series?.macd).toEqual(momentum.macd);
    const trend = computeTrend(close, fast, slow);
    expect(series?.movingAverageTrend).toEqual(trend.trend);
    const volumes = [...volumeRatio(volume, recent, usual)].map(volumeTrend);
    expect(series?.volumeTrend).toEqual(volumes);
    const average = sma(close, slow);
    const stretch = percentileRank(
      close.map((price, at) => price / (average[at] ?? Number.NaN)),
      500,
      100,
    );
    for (let at = 310; at < SESSIONS.length; at++) {
      const change = (close[at] ?? Number.NaN) - (close[at - back] ?? Number.NaN);
      const confirmed = volumes[at] === 'increasing' ? (change > 0 ? 75 : 25) : 50;
      const parts = [momentum.rsi[at], momentum.macdRank[at], stretch[at], confirmed].map(Number);
      const known = parts.filter((value) => !Number.isNaN(value));
      const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
      expect(series?.score[at]).toBeCloseTo(mean, 10);
    }
  },
);

describe('sentiment', () => {
  test('needs three of its four parts', () => {
    const [short] = computeSentiment(SESSIONS, rising, ofIndex(none()));
    expect(short?.volumeTrend[999]).toBeNull();
    expect(short?.score[999]).toBeGreaterThan(99);
    expect(short?.score[100]).toBeNaN();
  });

  test('has volume trends of the members once the volume of the index has ended', () => {
    const next = noise(9);
    const random = () => Float64Array.from(SESSIONS, () => 1 + next());
    const [indexVolume, memberVolume] = [random(), random()];
    const trends = (index: Float64Array, members: Float64Array) =>
      computeSentiment(SESSIONS, rising, { indexVolume: index, memberVolume: members }).map(
        ({ volumeTrend }) => volumeTrend,
      );
    const ended = trends(
      indexVolume.map((value, at) => (at > 700 ? Number.NaN : value)),
      memberVolume,
    );
    const [ofTheIndex, ofTheMembers] = [trends(indexVolume, none()), trends(none(), memberVolume)];
    for (const [at, trend] of ended.entries()) {
      expect(trend.slice(4, 701)).toEqual(ofTheIndex[at]?.slice(4, 701));
      // Two missing sessions of five are a gap.
      expect(trend.slice(703)).toEqual(ofTheMembers[at]?.slice(703));
      expect(trend.slice(250)).not.toContain(null);
    }
  });
});

test.each([
  ['increasing', 5, 75],
  ['increasing', -5, 25],
  ['increasing', 0, 50],
  ['decreasing', 5, 50],
  ['neutral', -5, 50],
  [null, 5, Number.NaN],
  ['increasing', Number.NaN, Number.NaN],
] as const)('%s volume with a change of %d scores %d', (trend, change, score) => {
  expect(volumeConfirmation(trend, change)).toBe(score);
});

describe('weekly bars', () => {
  test('use the last close of a week, on any day', () => {
    const sessions = ['2020-01-02', '2020-01-03', '2020-01-06', '2020-01-09', '2020-01-13'];
    const { close, weekOf } = weeklyBars(sessions, Float64Array.of(1, 2, 3, Number.NaN, 5));
    expect([...close]).toEqual([2, 3, 5]);
    expect([...weekOf]).toEqual([0, 0, 1, -1, 2]);
  });

  test('omit a week without a close', () => {
    const { close } = weeklyBars(
      ['2020-01-03', '2020-01-10', '2020-01-17'],
      Float64Array.of(1, Number.NaN, 3),
    );
    expect([...close]).toEqual([1, 3]);
  });

  const SPANS = { rsi: 4, macd: { fast: 3, slow: 6 } };
  const sessions = weekdays(2600);
  const next = noise(11);
  const close = Float64Array.from(sessions, (_, at) => 100 + 10 * Math.sin(at / 9) + next());

  describe('weekly indicators', () => {
    test('equal those of the finished weekly bars in the last session of a week', () => {
      const weeks = weeklyBars(sessions, close);
      const weekly = weeklyIndicators(sessions, close, SPANS);
      const strength = rsi(weeks.close, SPANS.rsi);
      const line = macd(weeks.close, SPANS.macd.fast, SPANS.macd.slow);
      sessions.forEach((_, at) => {
        const week = weeks.weekOf[at] ?? -1;
        if (week < 8 || weeks.weekOf[at + 1] === week || at + 1 === sessions.length) return;
        expect(weekly.rsi[at]).toBeCloseTo(strength[week] ?? Number.NaN, 10);
        expect(weekly.macd[at]).toBeCloseTo(line[week] ?? Number.NaN, 10);
      });
    });

    test('rank the current week among the last weekly bars', () => {
      const { macdRank, macd: line } = weeklyIndicators(sessions, close, SPANS);
      const weeks = weeklyBars(sessions, close);
      const at = 2590;
      const week = weeks.weekOf[at] ?? 0;
      const finished = macd(weeks.close, SPANS.macd.fast, SPANS.macd.slow);
      const today = (line[at] ?? Number.NaN) / (close[at] ?? Number.NaN);
      const below = [...finished.slice(week - 499, week)].filter(
        (points, before) => points / (weeks.close[week - 499 + before] ?? Number.NaN) < today,
      );
      expect(macdRank[at]).toBeCloseTo((100 * below.length) / 500, 10);
    });
  });
});
