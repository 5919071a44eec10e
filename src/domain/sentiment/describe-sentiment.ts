import { macdStatus, rsiStatus } from '../bands/sentiment-bands.ts';
import type { Timeframe } from './timeframes.ts';
import type { MovingAverageTrend, VolumeTrend } from './trends.ts';

/** The four indicators that a description mentions: RSI 0–100, MACD in index points; null if missing. */
export interface SentimentParts {
  readonly rsi: number | null;
  readonly macd: number | null;
  readonly movingAverageTrend: MovingAverageTrend | null;
  readonly volumeTrend: VolumeTrend | null;
}

const NO_DATA = 'No data available';

const OPENING = {
  short: 'Over the past days',
  medium: 'Over the past months',
  long: 'Over the past year',
} as const satisfies Record<Timeframe, string>;

const TREND = {
  bullish: 'the trend is up',
  neutral: 'the trend is undecided',
  bearish: 'the trend is down',
} as const satisfies Record<MovingAverageTrend, string>;

/** The sentences by the status of the RSI, then by the status of the MACD. */
const MOMENTUM = {
  positive: {
    positive: 'buyers are in charge',
    neutral: 'buyers are in charge',
    negative: 'buying has picked up',
  },
  neutral: {
    positive: 'momentum is mildly positive',
    neutral: 'momentum is even',
    negative: 'momentum is mildly negative',
  },
  negative: {
    positive: 'selling has picked up',
    neutral: 'sellers are in charge',
    negative: 'sellers are in charge',
  },
} as const;

const VOLUME = {
  increasing: 'more shares are changing hands than usual',
  neutral: 'trading is as busy as usual',
  decreasing: 'fewer shares are changing hands than usual',
} as const satisfies Record<VolumeTrend, string>;

/**
 * Describes in one sentence the indicators that have a value. If none has one, returns the text of the specification.
 */
export function describeSentiment(timeframe: Timeframe, parts: SentimentParts): string {
  const clauses: string[] = [];
  if (parts.movingAverageTrend !== null) clauses.push(TREND[parts.movingAverageTrend]);
  if (parts.rsi !== null || parts.macd !== null) clauses.push(momentum(parts.rsi, parts.macd));
  if (parts.volumeTrend !== null) clauses.push(VOLUME[parts.volumeTrend]);
  const last = clauses.pop();
  if (last === undefined) return NO_DATA;
  return `${OPENING[timeframe]} ${clauses.length === 0 ? last : `${clauses.join(', ')} and ${last}`}.`;
}

function momentum(rsi: number | null, macd: number | null): string {
  const strength = rsi === null ? 'neutral' : rsiStatus(rsi);
  const direction = macd === null ? 'neutral' : macdStatus(macd);
  return MOMENTUM[strength][direction];
}
