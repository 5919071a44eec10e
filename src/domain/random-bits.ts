/**
 * Creates a source of 32 pseudorandom bits, as a signed integer (mulberry32, Ettinger 2017). Its seed is fixed, so that the intervals
 * of equal data are equal.
 */
export function createBits(): () => number {
  let state = 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return mixed ^ (mixed >>> 14);
  };
}
