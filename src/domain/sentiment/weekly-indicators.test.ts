import { describe, expect, test } from 'vitest';
import { noise, weekdays } from '#tests/support/bars.ts';
import { macd } from '../indicators/macd.ts';
import { rsi } from '../indicators/rsi.ts';
import { weeklyBars, weeklyIndicators } from './weekly-indicators.ts';

test('use the last close of a week, on any day', () => {
  const sessions = ['2020-01-02', '2020-01-03', '2020-01-06', '2020-01-09', '2020-01-13'];
  const { close, weekOf } = weeklyBars(sessions, Float64Array.of(1, 2, 3, Number.NaN, 5));
  expect([...close]).toEqual([2, 3, 5]);
  expect([...weekOf]).toEqual([0, 0, 1, -1, 2]);
});

test('omit a week without a close', () => {
  const { close } = weeklyBars(['2020-01-03', '2020-01-10', '2020-01-17'], Float64Array.of(1, Number.NaN, 3));
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
