import { describe, expect, test } from 'vitest';
import { noise, weekdays } from '#tests/support/bars.ts';
import { readSentiment, volumeConfirmation } from './sentiment.ts';

const SESSIONS = weekdays(1000);
const rising = Float64Array.from(SESSIONS, (_, at) => 1000 * Math.exp((at / 900) ** 2));
const swelling = Float64Array.from(SESSIONS, (_, at) => 1e6 * 1.01 ** at);

function none(): Float64Array {
  return new Float64Array(SESSIONS.length).fill(Number.NaN);
}

describe('sentiment', () => {
  test('an ever faster rise on swelling volume is bullish in every timeframe', () => {
    for (const { score, rsi, macd, movingAverageTrend, volumeTrend } of readSentiment(
      SESSIONS,
      rising,
      swelling,
    )) {
      expect(rsi[999]).toBe(100);
      expect(macd[999]).toBeGreaterThan(0);
      expect(movingAverageTrend[999]).toBe('bullish');
      expect(volumeTrend[999]).toBe('increasing');
      // RSI 100, two ranks just under 100, confirmation 75.
      expect(score[999]).toBeGreaterThan(93);
      expect(score[999]).toBeLessThan(94);
    }
  });

  test('goes without volume, but not without three of its four parts', () => {
    const [short] = readSentiment(SESSIONS, rising, none());
    expect(short?.volumeTrend[999]).toBeNull();
    expect(short?.score[999]).toBeGreaterThan(99);
    expect(short?.score[100]).toBeNaN();
  });

  test('has no reading without closes', () => {
    for (const { score, rsi, macd, movingAverageTrend } of readSentiment(SESSIONS, none(), swelling)) {
      expect([score[999], rsi[999], macd[999]]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
      expect(movingAverageTrend[999]).toBeNull();
    }
  });

  test('stays within 0 and 100', () => {
    const next = noise(5);
    let price = 1000;
    const close = Float64Array.from(SESSIONS, () => {
      price *= 1 + 0.05 * (next() - 0.5);
      return price;
    });
    for (const { score } of readSentiment(
      SESSIONS,
      close,
      Float64Array.from(SESSIONS, () => 1 + next()),
    )) {
      const known = [...score].filter((value) => !Number.isNaN(value));
      expect(known.length).toBeGreaterThan(300);
      expect(Math.min(...known)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...known)).toBeLessThanOrEqual(100);
    }
  });
});

test('rising volume confirms the way the price went; other volume confirms nothing', () => {
  expect(volumeConfirmation('increasing', 5)).toBe(75);
  expect(volumeConfirmation('increasing', -5)).toBe(25);
  expect(volumeConfirmation('increasing', 0)).toBe(50);
  expect(volumeConfirmation('decreasing', 5)).toBe(50);
  expect(volumeConfirmation('neutral', -5)).toBe(50);
  expect(volumeConfirmation(null, 5)).toBeNaN();
  expect(volumeConfirmation('increasing', Number.NaN)).toBeNaN();
});
