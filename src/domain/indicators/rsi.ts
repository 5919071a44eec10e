import { overObservations } from './windows.ts';

/** Wilder's smoothed gain and loss: the mean of n changes, then (13·previous + change)/14 if n is 14. NaN before. */
export function wilderAverages(closes: Float64Array, n: number) {
  const gain = new Float64Array(closes.length).fill(Number.NaN);
  const loss = new Float64Array(closes.length).fill(Number.NaN);
  let gains = 0;
  let losses = 0;
  for (let at = 1; at < closes.length; at++) {
    const change = (closes[at] ?? Number.NaN) - (closes[at - 1] ?? Number.NaN);
    const up = Math.max(change, 0);
    const down = Math.max(-change, 0);
    if (at <= n) {
      gains += up / n;
      losses += down / n;
    } else {
      gains = ((n - 1) * gains + up) / n;
      losses = ((n - 1) * losses + down) / n;
    }
    if (at >= n) {
      gain[at] = gains;
      loss[at] = losses;
    }
  }
  return { gain, loss };
}

/** RSI of a smoothed gain and loss, 0–100; 100 without a loss. */
export function relativeStrength(gain: number, loss: number): number {
  return loss === 0 ? 100 : (100 * gain) / (gain + loss);
}

/** Wilder's relative strength index of the closes, 0–100; NaN before the n-th change. */
export function rsi(closes: Float64Array, n = 14): Float64Array {
  return overObservations(closes, (observed) => {
    const { gain, loss } = wilderAverages(observed, n);
    return gain.map((value, at) => relativeStrength(value, loss[at] ?? Number.NaN));
  });
}
