import type { BarMatrix } from '../market-history.ts';

/** Largest plausible one-day move (fraction). A larger unadjusted move is more likely a split than a price change. */
export const LARGEST_PLAUSIBLE_MOVE = 0.4;

/**
 * A move from the previous session's close to the close of `session`. `move` is a fraction: −0.5 for a halved price.
 */
export interface FlaggedMove {
  readonly symbol: string;
  readonly session: string;
  readonly move: number;
}

/** `leftOut` is 1 at `n * S + s` (S sessions) if member n is excluded from all counts of session s. */
export interface FlaggedMoves {
  readonly flags: readonly FlaggedMove[];
  readonly leftOut: Uint8Array;
}

/** Finds every one-day move beyond ±40 %. */
export function flagMoves(bars: BarMatrix): FlaggedMoves {
  const { close, sessions } = bars;
  const leftOut = new Uint8Array(close.length);
  const flags: FlaggedMove[] = [];
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
