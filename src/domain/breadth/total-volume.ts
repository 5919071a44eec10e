import type { BarMatrix } from '../market-history.ts';

/** Number of shares traded per session, summed over all members; NaN if no member has a volume. */
export function totalVolume(bars: BarMatrix): Float64Array {
  const width = bars.sessions.length;
  const total = new Float64Array(width).fill(Number.NaN);
  for (let member = 0; member < bars.members.length; member++) {
    const row = member * width;
    for (let session = 0; session < width; session++) {
      const shares = bars.volume[row + session] ?? Number.NaN;
      if (!Number.isNaN(shares)) total[session] = (total[session] || 0) + shares;
    }
  }
  return total;
}
