import { ema } from './windows.ts';

/** Spans n whose alpha 2/(n + 1) gives the published 10 % and 5 % trends. */
export const FAST_SPAN = 19;
export const SLOW_SPAN = 39;

/** Net advances per thousand changed issues, whose number then does not matter; NaN without any. */
export function ratioAdjustedNetAdvances(advances: Float64Array, declines: Float64Array): Float64Array {
  return advances.map((up, at) => {
    const down = declines[at] ?? Number.NaN;
    return (1000 * (up - down)) / (up + down);
  });
}

/** 10 % trend minus 5 % trend of net advances; NaN before the 39th observation. McClellan, mcoscillator.com. */
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
