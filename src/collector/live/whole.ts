import type { Bar, Provider } from '../providers/provider.ts';
import { groupBy } from './group-by.ts';
import type { HeldView } from './held-view.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { LiveRun } from './run.ts';

/**
 * The bars of symbols that came whole, by symbol. One whose bars lack much of what is held would cost its past:
 * it is noted and left out.
 */
export function takeWhole(
  run: LiveRun,
  provider: Provider,
  held: HeldView,
  bars: readonly Bar[],
  from: string,
): Map<string, Bar[]> {
  const ofSymbol = groupBy(bars, ({ symbol }) => symbol);
  for (const [symbol, its] of ofSymbol) {
    const sessions = new Set(its.map(({ session }) => session));
    const before = held.sessionsOf(symbol).filter((session) => session >= from);
    const found = before.filter((session) => sessions.has(session)).length;
    if (found >= LIVE_LIMITS.wholeness * before.length) continue;
    run.request.problems.note(
      'provider',
      `${provider.label} gives bars of ${symbol} on only ${found} of the ${before.length} sessions that are held, so they are not taken.`,
    );
    ofSymbol.delete(symbol);
  }
  return ofSymbol;
}
