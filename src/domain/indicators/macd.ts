import { ema } from './windows.ts';

/** EMA(fast) − EMA(slow), in the unit of the closes. NaN while the series is too short. */
export function macd(closes: Float64Array, fast: number, slow: number): Float64Array {
  const slowAverage = ema(closes, slow);
  return ema(closes, fast).map((value, at) => value - (slowAverage[at] ?? Number.NaN));
}
