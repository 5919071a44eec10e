import { ema } from './windows.ts';

/**
 * MACD in the unit of the closes. `histogram` is `line` minus `signal`. Values are NaN while the series is too short.
 */
export interface Macd {
  readonly line: Float64Array;
  readonly signal: Float64Array;
  readonly histogram: Float64Array;
}

/**
 * Moving average convergence/divergence: the line EMA(fast) − EMA(slow), the signal (the EMA(smoothing) of the line),
 * and the difference of line and signal.
 */
export function macd(closes: Float64Array, fast = 12, slow = 26, smoothing = 9): Macd {
  const slowAverage = ema(closes, slow);
  const line = ema(closes, fast).map((value, at) => value - (slowAverage[at] ?? Number.NaN));
  const signal = ema(line, smoothing);
  const histogram = line.map((value, at) => value - (signal[at] ?? Number.NaN));
  return { line, signal, histogram };
}
