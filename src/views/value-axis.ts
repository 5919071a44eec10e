/** Round steps, which are multiplied by a power of ten. */
const STEPS = [1, 2, 2.5, 5, 10] as const;

export interface ValueAxis {
  low: number;
  high: number;
  /** From low to high, both included. */
  ticks: readonly number[];
  /** Number of decimals with which the texts of all ticks differ. */
  decimals: number;
}

/** An axis around the finite values, with about `count` round steps. It starts and ends on a tick. */
export function valueAxis(values: readonly number[], count: number): ValueAxis {
  const least = Math.min(...values);
  const greatest = Math.max(...values);
  // The axis of equal values spans one hundredth of the value.
  const room = greatest > least ? greatest - least : Math.abs(least) / 100 || 1;
  const power = 10 ** Math.floor(Math.log10(room / count));
  const factor = STEPS.find((step) => step * power >= room / count) ?? 10;
  const step = factor * power;
  const flat = greatest > least ? 0 : room / 2;
  const first = Math.floor((least - flat) / step);
  const last = Math.max(first + 1, Math.ceil((greatest + flat) / step));
  const decimals = Math.max(0, Math.ceil(-Math.log10(step)) + (factor === 2.5 ? 1 : 0));
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { low: first * step, high: last * step, ticks, decimals };
}
