import { weekStart } from '../calendar/iso-week.ts';
import { relativeStrength, wilderAverages } from '../indicators/rsi.ts';
import { ema } from '../indicators/windows.ts';
import { LEAST_RANKED, RANK_BARS } from './timeframes.ts';

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

/** Weekly readings as known at each session; NaN while the series is too short. */
export interface WeeklyIndicators {
  readonly rsi: Float64Array;
  readonly macd: Float64Array;
  /** Percentage of the last 500 weekly values of MACD/close that are strictly below the current value. */
  readonly macdRank: Float64Array;
}

/** Weekly RSI and MACD as known at each session, with its close as the close of the current week. */
export function weeklyIndicators(
  sessions: readonly string[],
  close: Float64Array,
  spans: { readonly rsi: number; readonly macd: { readonly fast: number; readonly slow: number } },
): WeeklyIndicators {
  const weeks = weeklyBars(sessions, close);
  const averages = wilderAverages(weeks.close, spans.rsi);
  const fast = ema(weeks.close, spans.macd.fast);
  const slow = ema(weeks.close, spans.macd.slow);
  const finished = weeks.close.map(
    (price, week) => ((fast[week] ?? Number.NaN) - (slow[week] ?? Number.NaN)) / price,
  );
  const result: WeeklyIndicators = {
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
