import { macd } from '../indicators/macd.ts';
import { meanOfPresent } from '../indicators/mean-of-present.ts';
import { percentileRank } from '../indicators/percentile-rank.ts';
import { rsi } from '../indicators/rsi.ts';
import { TIMEFRAMES, type Timeframe, type TimeframeSpans } from './timeframes.ts';
import { type MovingAverageTrend, readTrend, type VolumeTrend, volumeRatio, volumeTrend } from './trends.ts';
import { type WeeklyIndicators, weeklyIndicators } from './weekly-indicators.ts';

export const RANK_BARS = 500;
/** Minimum bars for a rank: two years of weekly bars. */
const LEAST_RANKED = 100;
const LEAST_PARTS = 3;

/** Points that rising volume contributes to the score: with a gain, with a loss, and otherwise. */
export const VOLUME_CONFIRMATION = { gain: 75, loss: 25, otherwise: 50 } as const;

/** One timeframe per session: score and RSI 0–100, MACD in index points; NaN or null if missing. */
export interface SentimentSeries {
  readonly timeframe: Timeframe;
  readonly score: Float64Array;
  readonly rsi: Float64Array;
  readonly macd: Float64Array;
  readonly movingAverageTrend: readonly (MovingAverageTrend | null)[];
  readonly volumeTrend: readonly (VolumeTrend | null)[];
}

/** The three timeframes from the index's daily closes and traded volume. */
export function readSentiment(
  sessions: readonly string[],
  close: Float64Array,
  volume: Float64Array,
): SentimentSeries[] {
  return TIMEFRAMES.map((spans) => readTimeframe(spans, sessions, close, volume));
}

/**
 * Score: mean of RSI, the 500-bar percentile ranks of MACD/close and of close/slow average, and volume
 * confirmation; NaN with fewer than three of the four.
 */
function readTimeframe(
  spans: TimeframeSpans,
  sessions: readonly string[],
  close: Float64Array,
  volume: Float64Array,
): SentimentSeries {
  const momentum = spans.bars === 'weekly' ? weekly(spans, sessions, close) : daily(spans, close);
  const { trend, slow } = readTrend(close, spans.averages.fast, spans.averages.slow);
  const stretch = close.map((price, at) => price / (slow[at] ?? Number.NaN));
  const ratio = volumeRatio(volume, spans.volume.short, spans.volume.long);
  const volumeTrends = Array.from(ratio, volumeTrend);
  const confirmation = close.map((price, at) =>
    volumeConfirmation(volumeTrends[at] ?? null, price - (close[at - spans.returnSessions] ?? Number.NaN)),
  );
  return {
    timeframe: spans.timeframe,
    score: meanOfPresent(
      [momentum.rsi, momentum.macdRank, percentileRank(stretch, RANK_BARS, LEAST_RANKED), confirmation],
      LEAST_PARTS,
    ),
    rsi: momentum.rsi,
    macd: momentum.macd,
    movingAverageTrend: trend,
    volumeTrend: volumeTrends,
  };
}

function daily(spans: TimeframeSpans, close: Float64Array): WeeklyIndicators {
  const { line } = macd(close, spans.macd.fast, spans.macd.slow, spans.macd.smoothing);
  const relative = line.map((points, at) => points / (close[at] ?? Number.NaN));
  return {
    rsi: rsi(close, spans.rsi),
    macd: line,
    macdRank: percentileRank(relative, RANK_BARS, LEAST_RANKED),
  };
}

function weekly(spans: TimeframeSpans, sessions: readonly string[], close: Float64Array): WeeklyIndicators {
  return weeklyIndicators(sessions, close, {
    rsi: spans.rsi,
    fast: spans.macd.fast,
    slow: spans.macd.slow,
    rankBars: RANK_BARS,
    leastRanked: LEAST_RANKED,
  });
}

/** 75 for rising volume with a gain, 25 with a loss, otherwise 50; NaN if either is unknown. */
export function volumeConfirmation(trend: VolumeTrend | null, change: number): number {
  if (trend === null || Number.isNaN(change)) return Number.NaN;
  if (trend !== 'increasing' || change === 0) return VOLUME_CONFIRMATION.otherwise;
  return change > 0 ? VOLUME_CONFIRMATION.gain : VOLUME_CONFIRMATION.loss;
}
