import { describe, expect, test } from 'vitest';
import { describeSentiment } from './describe-sentiment.ts';

describe('the sentence of a timeframe', () => {
  test('describes all four parts of a score', () => {
    expect(
      describeSentiment('short', {
        rsi: 72,
        macd: 4,
        movingAverageTrend: 'bullish',
        volumeTrend: 'increasing',
      }),
    ).toBe(
      'Over the past days the trend is up, buyers are in charge and more shares are changing hands than usual.',
    );
    expect(
      describeSentiment('long', {
        rsi: 30,
        macd: -4,
        movingAverageTrend: 'bearish',
        volumeTrend: 'decreasing',
      }),
    ).toBe(
      'Over the past year the trend is down, sellers are in charge and fewer shares are changing hands than usual.',
    );
  });

  test('omits missing parts of a score', () => {
    expect(
      describeSentiment('medium', { rsi: 50, macd: 1, movingAverageTrend: 'neutral', volumeTrend: null }),
    ).toBe('Over the past months the trend is undecided and momentum is mildly positive.');
    expect(
      describeSentiment('medium', { rsi: 35, macd: null, movingAverageTrend: null, volumeTrend: null }),
    ).toBe('Over the past months sellers are in charge.');
  });

  test('is the specified text if every part is missing', () => {
    expect(
      describeSentiment('long', { rsi: null, macd: null, movingAverageTrend: null, volumeTrend: null }),
    ).toBe('No data available');
  });

  test('has at most the 200 characters of its database column', () => {
    for (const timeframe of ['short', 'medium', 'long'] as const) {
      for (const rsi of [30, 50, 70]) {
        for (const macd of [-1, 1]) {
          for (const movingAverageTrend of ['bullish', 'bearish', 'neutral'] as const) {
            for (const volumeTrend of ['increasing', 'decreasing', 'neutral'] as const) {
              const sentence = describeSentiment(timeframe, { rsi, macd, movingAverageTrend, volumeTrend });
              expect(sentence.length).toBeLessThanOrEqual(200);
            }
          }
        }
      }
    }
  });
});
