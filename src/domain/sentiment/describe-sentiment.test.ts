import { describe, expect, test } from 'vitest';
import {
  describeSentiment as describeParts,
  type ScoreReasons,
  type SentimentParts,
} from './describe-sentiment.ts';

const NO_PARTS: SentimentParts = { rsi: null, macd: null, movingAverageTrend: null, volumeTrend: null };
const NO_REASONS: ScoreReasons = { score: null, macdRank: null, stretchRank: null, volumeConfirmation: null };
const describeSentiment = (
  timeframe: 'short' | 'medium' | 'long',
  parts: SentimentParts,
  reasons: Partial<ScoreReasons> = {},
) => describeParts(timeframe, parts, { ...NO_REASONS, ...reasons });

describe('the sentence of a timeframe', () => {
  test.each<[string, Parameters<typeof describeSentiment>[0], SentimentParts, string]>([
    [
      'describes all four parts of a score',
      'short',
      { rsi: 72, macd: 4, movingAverageTrend: 'bullish', volumeTrend: 'increasing' },
      'Over the past days the trend is up, buyers are in charge and more shares are changing hands than usual.',
    ],
    [
      'describes all four parts of a low score',
      'long',
      { rsi: 30, macd: -4, movingAverageTrend: 'bearish', volumeTrend: 'decreasing' },
      'Over the past year the trend is down, sellers are in charge and fewer shares are changing hands than usual.',
    ],
    [
      'omits a missing volume',
      'medium',
      { rsi: 50, macd: 1, movingAverageTrend: 'neutral', volumeTrend: null },
      'Over the past months the trend is undecided and momentum is mildly positive.',
    ],
    [
      'omits three missing parts',
      'medium',
      { ...NO_PARTS, rsi: 35 },
      'Over the past months sellers are in charge.',
    ],
    ['is the specified text if every part is missing', 'long', NO_PARTS, 'No data available'],
  ])('%s', (_, timeframe, parts, sentence) => {
    expect(describeSentiment(timeframe, parts)).toBe(sentence);
  });

  test('names the parts behind a level that the shown indicators do not explain [R28]', () => {
    const green = { rsi: 55, macd: 3, movingAverageTrend: 'bullish', volumeTrend: 'neutral' } as const;
    const ranks = { macdRank: 12.4, stretchRank: 46.1, volumeConfirmation: 50 };
    const plain = describeSentiment('long', green);
    expect(describeSentiment('long', green, { score: 41, ...ranks })).toBe(
      `${plain} But MACD ranks low in its past (12 of 100).`,
    );
    expect(
      describeSentiment('long', green, { score: 29, macdRank: 1, stretchRank: 9, volumeConfirmation: 25 }),
    ).toBe(`${plain} But MACD ranks low in its past (1 of 100), price to average too (9).`);
    expect(describeSentiment('long', green, { score: 58, ...ranks })).toBe(plain);
    const fewer = { ...green, volumeTrend: 'decreasing' } as const;
    expect(describeSentiment('long', fewer, { score: 41, ...ranks })).toBe(
      `${describeSentiment('long', fewer)} But MACD ranks low in its past (12 of 100).`,
    );
    const red = { rsi: 35, macd: -3, movingAverageTrend: 'bearish', volumeTrend: 'decreasing' } as const;
    expect(describeSentiment('short', red, { score: 50, ...ranks, stretchRank: 90 })).toBe(
      `${describeSentiment('short', red)} But price to average ranks high in its past (90 of 100).`,
    );
  });

  test('never takes volume for the reason of a score that its part does not have [R28]', () => {
    const parts = { rsi: 52, macd: 1, movingAverageTrend: 'neutral', volumeTrend: 'decreasing' } as const;
    const ranks = { macdRank: 12.4, stretchRank: 20, volumeConfirmation: 50 };
    expect(describeSentiment('long', parts, { score: 34, ...ranks })).toBe(
      `${describeSentiment('long', parts)} But MACD ranks low in its past (12 of 100), price to average too (20).`,
    );
    const loss = { ...parts, macd: -1, volumeTrend: 'increasing' } as const;
    const low = { macdRank: 90, stretchRank: 80, volumeConfirmation: 25 };
    expect(describeSentiment('long', loss, { score: 62, ...low })).toBe(
      `${describeSentiment('long', loss)} But MACD ranks high in its past (90 of 100), price to average too (80).`,
    );
    expect(describeSentiment('long', loss, { score: 62, ...low, volumeConfirmation: 75 })).toBe(
      describeSentiment('long', loss),
    );
  });

  test('has at most the 200 characters of its database column', () => {
    for (const timeframe of ['short', 'medium', 'long'] as const) {
      for (const rsi of [30, 50, 70])
        for (const macd of [-1, 1])
          for (const movingAverageTrend of ['bullish', 'bearish', 'neutral'] as const)
            for (const volumeTrend of ['increasing', 'decreasing', 'neutral'] as const)
              for (const score of [10, 50, 90]) {
                const rank = score === 10 ? 25 : 100;
                const reasons = { score, macdRank: rank, stretchRank: rank, volumeConfirmation: rank };
                const parts = { rsi, macd, movingAverageTrend, volumeTrend };
                expect(describeSentiment(timeframe, parts, reasons).length).toBeLessThanOrEqual(200);
              }
    }
  });
});
