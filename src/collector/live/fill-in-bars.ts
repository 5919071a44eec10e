import type { Bar, Provider } from '../providers/provider.ts';
import type { Given } from './given.ts';
import { groupBy } from './group-by.ts';
import type { HeldView } from './held-view.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { LiveRun } from './run.ts';

/**
 * Takes of a fallback's bars those that are not there. A symbol of which it has split the past since is left out:
 * beside what is held its prices would be a move that never was.
 */
export function fillInBars(
  { request: { problems } }: LiveRun,
  { name, label }: Provider,
  held: HeldView,
  given: Given,
  bars: readonly Bar[],
): void {
  const ascending = bars.toSorted((a, b) => (a.session < b.session ? -1 : 1));
  for (const [symbol, its] of groupBy(ascending, (bar) => bar.symbol)) {
    const newest = its.findLast(({ session }) => !Number.isNaN(held.close(symbol, session)));
    const ratio = newest === undefined ? 1 : newest.close / held.close(symbol, newest.session);
    if (Math.abs(ratio - 1) > LIVE_LIMITS.otherScale) {
      problems.note(
        'readjusted',
        `${label} has prices of ${symbol} on another scale; it is left out of this run.`,
      );
      continue;
    }
    for (const bar of its) {
      const isThere = given.hasBar(symbol, bar.session) || !Number.isNaN(held.close(symbol, bar.session));
      if (!isThere) given.addBar(bar, name);
    }
  }
}
