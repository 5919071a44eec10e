import { MARKET_SOURCES, type MarketSource } from './market-source.ts';
import { toFields, toInstant, toName, toNumber, toPercentage, toText, toWord } from './parse.ts';

export const TIMEFRAMES = ['short', 'medium', 'long'] as const;
export type Timeframe = (typeof TIMEFRAMES)[number];

/** Sentiment of one timeframe; score and RSI 0–100, MACD in index points. */
export interface MarketSentimentRow {
  timeframe: Timeframe;
  signal: string | null;
  score: number | null;
  description: string | null;
  rsi: number | null;
  macd: number | null;
  moving_avg_trend: string | null;
  volume_trend: string | null;
  source: MarketSource | null;
  created_at: string;
}

export const MARKET_SENTIMENT_COLUMNS =
  'timeframe,signal,score,description,rsi,macd,moving_avg_trend,volume_trend,source,created_at';

/** The row in an untrusted value; null if `timeframe` or `created_at` is invalid. */
export function parseMarketSentiment(value: unknown): MarketSentimentRow | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const timeframe = toWord(TIMEFRAMES, fields.timeframe);
  const created_at = toInstant(fields.created_at);
  if (timeframe === null || created_at === null) return null;
  return {
    timeframe,
    signal: toText(fields.signal),
    score: toPercentage(fields.score),
    description: toText(fields.description),
    rsi: toPercentage(fields.rsi),
    macd: toNumber(fields.macd),
    moving_avg_trend: toName(fields.moving_avg_trend),
    volume_trend: toName(fields.volume_trend),
    source: toWord(MARKET_SOURCES, fields.source),
    created_at,
  };
}
