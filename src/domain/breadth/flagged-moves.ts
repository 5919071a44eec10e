import type { BarMatrix } from '../market-history.ts';

/** Largest plausible one-day move (fraction). A larger unadjusted move is more likely a split than a price change. */
export const LARGEST_PLAUSIBLE_MOVE = 0.4;

/** Moves from close to close beyond ±40 %, as fractions. `leftOut` is 1 at `n * S + s` if member n is left out in s. */
export function flagMoves(bars: BarMatrix) {
  const { close, sessions } = bars;
  const leftOut = new Uint8Array(close.length);
  const flags: { symbol: string; session: string; move: number }[] = [];
  bars.members.forEach(({ symbol }, member) => {
    const row = member * sessions.length;
    let previous = Number.NaN;
    sessions.forEach((session, column) => {
      const today = close[row + column] ?? Number.NaN;
      const move = today / previous - 1;
      if (Math.abs(move) > LARGEST_PLAUSIBLE_MOVE) {
        leftOut[row + column] = 1;
        flags.push({ symbol, session, move });
      }
      previous = today;
    });
  });
  return { flags, leftOut };
}
