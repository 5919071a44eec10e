import { weekStart } from '../calendar/iso-week.ts';
import { macd } from '../indicators/macd.ts';
import { relativeStrength, rsi, wilderAverages } from '../indicators/rsi.ts';
import { ema, meanOfPresent, percentileRank, sessionMean, sma } from '../indicators/windows.ts';

/** Number of bars among which RSI and MACD, and the close against its average, are ranked. */
export const RANK_BARS = 500;
/** Minimum bars for a rank: two years of weekly bars. */
const LEAST_RANKED = 100;

/** Averages and volume are daily; RSI and MACD use `bars`. `returnSessions`: a week, three months, a year. */
export const TIMEFRAMES = [
  {
    timeframe: 'short',
    bars: 'daily',
    rsi: 7,
    macd: { fast: 6, slow: 13 },
    averages: { fast: 5, slow: 10 },
    volume: { short: 5, long: 20 },
    returnSessions: 5,
  },
  {
    timeframe: 'medium',
    bars: 'daily',
    rsi: 14,
    macd: { fast: 12, slow: 26 },
    averages: { fast: 20, slow: 50 },
    volume: { short: 20, long: 60 },
    returnSessions: 63,
  },
  {
    timeframe: 'long',
    bars: 'weekly',
    rsi: 14,
    macd: { fast: 12, slow: 26 },
    averages: { fast: 50, slow: 200 },
    volume: { short: 60, long: 250 },
    returnSessions: 252,
  },
] as const;
export type TimeframeSpans = (typeof TIMEFRAMES)[number];
export type Timeframe = TimeframeSpans['timeframe'];

export type MovingAverageTrend = 'bullish' | 'bearish' | 'neutral';
export type VolumeTrend = 'increasing' | 'decreasing' | 'neutral';

/** Edges of the volume ratio: volume is increasing above the first, decreasing below the second. */
export const VOLUME_RATIO = { increasing: 1.02, decreasing: 0.98 } as const;

/** Bullish if close > fast > slow average, bearish if both fail, otherwise neutral; null without a value. */
export function movingAverageTrend(close: number, fast: number, slow: number): MovingAverageTrend | null {
  if (Number.isNaN(close + fast + slow)) return null;
  const holds = Number(close > fast) + Number(fast > slow);
  return holds === 2 ? 'bullish' : holds === 0 ? 'bearish' : 'neutral';
}

/** The trend of a volume ratio; null if the ratio is NaN. */
export function volumeTrend(ratio: number): VolumeTrend | null {
  if (Number.isNaN(ratio)) return null;
  if (ratio > VOLUME_RATIO.increasing) return 'increasing';
  return ratio < VOLUME_RATIO.decreasing ? 'decreasing' : 'neutral';
}

/** Mean volume over `short` sessions divided by the mean over `long`; NaN while the series is too short. */
export function volumeRatio(volume: Float64Array, short: number, long: number): Float64Array {
  const usual = sessionMean(volume, long);
  return sessionMean(volume, short).map((recent, at) => recent / (usual[at] || Number.NaN));
}

/** The moving-average trend of every session, and its slow average. */
export function computeTrend(
  close: Float64Array,
  fastSpan: number,
  slowSpan: number,
): { trend: (MovingAverageTrend | null)[]; slow: Float64Array } {
  const fast = sma(close, fastSpan);
  const slow = sma(close, slowSpan);
  const trend = Array.from(close, (value, at) =>
    movingAverageTrend(value, fast[at] ?? Number.NaN, slow[at] ?? Number.NaN),
  );
  return { trend, slow };
}

const LEAST_PARTS = 3;

/** Volume confirmation (0–100): rising volume with a gain, rising volume with a loss, all other cases. */
export const VOLUME_CONFIRMATION = { gain: 75, loss: 25, otherwise: 50 } as const;

/** The traded volumes of the index and all members per session; NaN without a volume. */
export interface TradedVolume {
  readonly indexVolume: Float64Array;
  readonly memberVolume: Float64Array;
}

/** The volume of the index is current in a session if it has an average over this number of sessions. */
const CURRENT_SESSIONS = 5;

/** The volume ratio of the index while its volume is current, otherwise of the members. No ratio mixes the two. */
function currentVolumeRatio({ indexVolume, memberVolume }: TradedVolume, short: number, long: number) {
  const current = sessionMean(indexVolume, CURRENT_SESSIONS);
  const members = volumeRatio(memberVolume, short, long);
  return volumeRatio(indexVolume, short, long).map((ratio, at) =>
    Number.isNaN(current[at] ?? Number.NaN) ? (members[at] ?? Number.NaN) : ratio,
  );
}

/** The three timeframes from the index's daily closes and the traded volume. */
export function computeSentiment(sessions: readonly string[], close: Float64Array, volume: TradedVolume) {
  return TIMEFRAMES.map((spans) => computeTimeframe(spans, sessions, close, volume));
}

/** Mean of the available parts, 0–100; NaN with fewer than three. */
export function timeframeScore(
  parts: Readonly<Record<'rsi' | 'macdRank' | 'stretchRank' | 'volumeConfirmation', Float64Array>>,
): Float64Array {
  return meanOfPresent([parts.rsi, parts.macdRank, parts.stretchRank, parts.volumeConfirmation], LEAST_PARTS);
}

/**
 * Computes one timeframe per session: score and RSI 0–100, MACD in index points; NaN or null if missing. Its score is the mean
 * of the RSI, the 500-bar rank of MACD/close, the 500-bar rank of close/slow average, and the volume confirmation.
 */
function computeTimeframe(
  spans: TimeframeSpans,
  sessions: readonly string[],
  close: Float64Array,
  volume: TradedVolume,
) {
  const momentum = spans.bars === 'weekly' ? weeklyIndicators(sessions, close, spans) : daily(spans, close);
  const { trend, slow } = computeTrend(close, spans.averages.fast, spans.averages.slow);
  const stretch = close.map((price, at) => price / (slow[at] ?? Number.NaN));
  const ratio = currentVolumeRatio(volume, spans.volume.short, spans.volume.long);
  const volumeTrends = Array.from(ratio, volumeTrend);
  const confirmation = close.map((price, at) =>
    volumeConfirmation(volumeTrends[at] ?? null, price - (close[at - spans.returnSessions] ?? Number.NaN)),
  );
  const parts = {
    rsi: momentum.rsi,
    macdRank: momentum.macdRank,
    stretchRank: percentileRank(stretch, RANK_BARS, LEAST_RANKED),
    volumeConfirmation: confirmation,
  };
  return {
    timeframe: spans.timeframe,
    score: timeframeScore(parts),
    parts,
    rsi: momentum.rsi,
    macd: momentum.macd,
    movingAverageTrend: trend,
    volumeTrend: volumeTrends,
  };
}

function daily(spans: TimeframeSpans, close: Float64Array): Momentum {
  const line = macd(close, spans.macd.fast, spans.macd.slow);
  const relative = line.map((points, at) => points / (close[at] ?? Number.NaN));
  return {
    rsi: rsi(close, spans.rsi),
    macd: line,
    macdRank: percentileRank(relative, RANK_BARS, LEAST_RANKED),
  };
}

/** 75 for rising volume with a gain, 25 with a loss, otherwise 50; NaN if the trend or the return is unknown. */
export function volumeConfirmation(trend: VolumeTrend | null, change: number): number {
  if (trend === null || Number.isNaN(change)) return Number.NaN;
  if (trend !== 'increasing' || change === 0) return VOLUME_CONFIRMATION.otherwise;
  return change > 0 ? VOLUME_CONFIRMATION.gain : VOLUME_CONFIRMATION.loss;
}

/** Weeks of daily closes, oldest first, with their last close, and each session's week; -1 without a close. */
export function weeklyBars(sessions: readonly string[], close: Float64Array) {
  const weekOf = new Int32Array(sessions.length).fill(-1);
  const closes: number[] = [];
  let current = '';
  sessions.forEach((session, at) => {
    const price = close[at] ?? Number.NaN;
    if (Number.isNaN(price)) return;
    const week = weekStart(session);
    if (week !== current) closes.push(price);
    closes[closes.length - 1] = price;
    current = week;
    weekOf[at] = closes.length - 1;
  });
  return { close: Float64Array.from(closes), weekOf };
}

/** RSI and MACD of daily or weekly bars as known at each session; NaN while the series is too short. */
interface Momentum {
  readonly rsi: Float64Array;
  readonly macd: Float64Array;
  /** Percentage of the last 500 bars' values of MACD/close that are strictly below the current value. */
  readonly macdRank: Float64Array;
}

/** Weekly RSI and MACD as known at each session, with its close as the close of the current week. */
export function weeklyIndicators(
  sessions: readonly string[],
  close: Float64Array,
  spans: { readonly rsi: number; readonly macd: { readonly fast: number; readonly slow: number } },
): Momentum {
  const weeks = weeklyBars(sessions, close);
  const averages = wilderAverages(weeks.close, spans.rsi);
  const fast = ema(weeks.close, spans.macd.fast);
  const slow = ema(weeks.close, spans.macd.slow);
  const finished = weeks.close.map(
    (price, week) => ((fast[week] ?? Number.NaN) - (slow[week] ?? Number.NaN)) / price,
  );
  const result: Momentum = {
    rsi: new Float64Array(close.length).fill(Number.NaN),
    macd: new Float64Array(close.length).fill(Number.NaN),
    macdRank: new Float64Array(close.length).fill(Number.NaN),
  };
  close.forEach((price, at) => {
    const before = (weeks.weekOf[at] ?? -1) - 1;
    if (before < 0) return;
    const change = price - (weeks.close[before] ?? Number.NaN);
    const gain = ((spans.rsi - 1) * (averages.gain[before] ?? Number.NaN) + Math.max(change, 0)) / spans.rsi;
    const loss = ((spans.rsi - 1) * (averages.loss[before] ?? Number.NaN) + Math.max(-change, 0)) / spans.rsi;
    result.rsi[at] = relativeStrength(gain, loss);
    const macd = step(fast, before, price, spans.macd.fast) - step(slow, before, price, spans.macd.slow);
    result.macd[at] = macd;
    result.macdRank[at] = rankAmong(finished, before, macd / price);
  });
  return result;
}

/** The exponential average after another close. */
function step(average: Float64Array, before: number, price: number, n: number): number {
  const previous = average[before] ?? Number.NaN;
  return previous + (2 / (n + 1)) * (price - previous);
}

function rankAmong(finished: Float64Array, last: number, today: number): number {
  let below = 0;
  let count = 1;
  for (let week = Math.max(0, last - RANK_BARS + 2); week <= last; week++) {
    const value = finished[week] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    count++;
    if (value < today) below++;
  }
  return Number.isNaN(today) || count < LEAST_RANKED ? Number.NaN : (100 * below) / count;
}
