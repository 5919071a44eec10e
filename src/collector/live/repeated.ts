import type { Bar } from '../providers/provider.ts';
import { LIVE_LIMITS } from './limits.ts';

/**
 * Whether a provider repeats the session before as `session`: nearly every symbol with bars of both has the very
 * same one twice.
 */
export function repeatsSessionBefore(bars: readonly Bar[], session: string, before: string): boolean {
  const earlier = new Map(bars.filter((bar) => bar.session === before).map((bar) => [bar.symbol, bar]));
  const both = bars.flatMap((bar) => {
    const other = bar.session === session ? earlier.get(bar.symbol) : undefined;
    return other === undefined ? [] : [isSame(bar, other)];
  });
  return both.length > 0 && both.filter(Boolean).length >= LIVE_LIMITS.repeated * both.length;
}

function isSame(one: Bar, other: Bar): boolean {
  return (
    one.open === other.open &&
    one.high === other.high &&
    one.low === other.low &&
    one.close === other.close &&
    one.volume === other.volume
  );
}
