import { ema } from './windows.ts';

/** Spans n whose alpha 2/(n + 1) gives the published 10 % and 5 % trends. */
export const FAST_SPAN = 19;
export const SLOW_SPAN = 39;

/**
 * Net advances per thousand changed issues, so that the number of issues does not matter; NaN without changed issues.
 */
export function ratioAdjustedNetAdvances(advances: Float64Array, declines: Float64Array): Float64Array {
  return advances.map((up, at) => {
    const down = declines[at] ?? Number.NaN;
    return (1000 * (up - down)) / (up + down);
  });
}

/**
 * McClellan oscillator of net advances (ratio-adjusted or not): their 10 % trend minus their 5 % trend; NaN before the
 * 39th observation. Source: McClellan Financial Publications, mcoscillator.com.
 */
export function mcclellanOscillator(net: Float64Array): Float64Array {
  const slow = ema(net, SLOW_SPAN);
  return ema(net, FAST_SPAN).map((fast, at) => fast - (slow[at] ?? Number.NaN));
}

/** Running total of the oscillator. NaN values of the oscillator stay NaN and add nothing. */
export function mcclellanSummation(oscillator: Float64Array): Float64Array {
  let total = 0;
  return oscillator.map((value) => {
    if (Number.isNaN(value)) return Number.NaN;
    total += value;
    return total;
  });
}
