import { previousSession } from '#domain/calendar/sessions.ts';
import type { Bar, Provider } from '../providers/provider.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { LiveRun } from './run.ts';

/**
 * Whether a provider repeats the session before as `session`: nearly every symbol with bars of both has the very
 * same one twice.
 */
function repeatsSessionBefore(bars: readonly Bar[], session: string, before: string): boolean {
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

/** The bars without those of the run's session, with a note, where the provider repeats the session before. */
export function withoutRepeated(
  { target: { session }, request }: LiveRun,
  { label }: Provider,
  bars: readonly Bar[],
): readonly Bar[] {
  const before = previousSession(session);
  if (!repeatsSessionBefore(bars, session, before)) return bars;
  request.problems.note(
    'provider',
    `${label} gives the bars of ${before} once more as those of ${session}, which are not taken.`,
  );
  return bars.filter((bar) => bar.session !== session);
}
