import { fillInBars } from './fill-in-bars.ts';
import { takeFirstChoice } from './first-choice-bars.ts';
import type { Given } from './given.ts';
import type { HeldView } from './held-view.ts';
import { joinsBars, lastOf, recentSessions } from './need.ts';
import { readBars } from './read-bars.ts';
import { withoutRepeated } from './repeated.ts';
import type { LiveRun } from './run.ts';

/** What reading the recent bars came to. */
export interface RecentBars {
  /** Symbols whose bars replace all that is held of them. */
  readonly whole: readonly string[];
  /** Up to when the bars of the run's session reach (epoch ms), the median of them; null where there is none. */
  readonly reach: number | null;
}

/**
 * Reads the recent sessions of all members whose past is held: from the first choice, and from the next ones
 * what is still missing of the run's session.
 */
export async function readRecentBars(run: LiveRun, held: HeldView, given: Given): Promise<RecentBars> {
  const { target, members, plan } = run;
  const providers = plan.find(({ asking }) => asking === 'bars')?.providers ?? [];
  const symbols = members.map(({ symbol }) => symbol).filter((symbol) => joinsBars(run, held, symbol));
  const from = recentSessions(target)[0] ?? target.session;
  let whole: readonly string[] = [];
  const leftOut = new Set<string>();
  const reaches: number[] = [];
  for (const [rank, provider] of providers.entries()) {
    const isWanted = (symbol: string) =>
      !leftOut.has(symbol) &&
      !given.hasBar(symbol, target.session) &&
      Number.isNaN(held.close(symbol, target.session));
    const wanted = rank === 0 ? symbols : symbols.filter(isWanted);
    if (wanted.length === 0) break;
    const to = lastOf(provider, 'bars', target);
    const reading = await readBars(run, provider, wanted, { from, to });
    const bars = withoutRepeated(run, provider, reading.bars);
    if (rank === 0) {
      const readjusted = await takeFirstChoice(run, provider, held, given, bars);
      whole = readjusted.whole;
      for (const symbol of readjusted.leftOut) leftOut.add(symbol);
    } else fillInBars(run, provider, held, given, bars);
    if (bars.some(({ session }) => session === target.session)) reaches.push(...reading.reaches);
  }
  return { whole, reach: reaches.sort((a, b) => a - b)[reaches.length >> 1] ?? null };
}
