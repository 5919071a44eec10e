import { tickProxy } from '#domain/indicators/tick.ts';
import type { Bar, Provider } from '../providers/provider.ts';
import { completeHistories, differs, isReadjusted, withoutRepeatedSession } from './bar-checks.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { Run } from './run.ts';
import { groupBy } from './run-data.ts';
import { rangeUpTo } from './target.ts';

export interface RecentBars {
  /** Symbols whose bars replace all stored bars. */
  readonly replaced: readonly string[];
  /** Median instant up to which the bars of the run's session reach (epoch ms); null without bars. */
  readonly observedAt: number | null;
}

/**
 * Fetches the recent sessions of all members that need no backfill from the first provider. Then fetches the bars that
 * the run's session still lacks from the other providers.
 */
export async function fetchRecentBars(run: Run): Promise<RecentBars> {
  const { target } = run;
  const symbols = run.members.map(({ symbol }) => symbol).filter(run.hasRecentBars);
  const leftOut = new Set<string>();
  const observedAt: number[] = [];
  let replaced: readonly string[] = [];
  for (const [rank, provider] of run.barProviders.entries()) {
    const isMissing = (symbol: string) => !leftOut.has(symbol) && !run.hasBar(symbol, target.session);
    const wanted = rank === 0 ? symbols : symbols.filter(isMissing);
    if (wanted.length === 0) break;
    const range = { from: run.firstRecent, to: run.lastSession(provider, 'bars') };
    const reading = await run.fetchBars(provider, wanted, range);
    const bars = withoutRepeatedSession(run, provider, reading.bars);
    if (rank === 0) {
      const readjusted = addFirstChoice(run, provider, bars);
      replaced = await refetchHistories(run, provider, readjusted);
      for (const symbol of readjusted) if (!replaced.includes(symbol)) leftOut.add(symbol);
    } else addFallback(run, provider, bars);
    if (bars.some(({ session }) => session === target.session)) observedAt.push(...reading.observedAt);
  }
  return { replaced, observedAt: observedAt.sort((a, b) => a - b)[observedAt.length >> 1] ?? null };
}

/**
 * Adds the first provider's bars, which also correct the newest stored sessions. Returns the symbols with a readjusted
 * history and does not add their bars.
 */
function addFirstChoice(run: Run, provider: Provider, bars: readonly Bar[]): string[] {
  const { stored, fetched, corrected } = run;
  const readjusted: string[] = [];
  for (const [symbol, its] of groupBy(bars, (bar) => bar.symbol)) {
    const overlap = its.flatMap(({ session, close }) =>
      stored.hasBar(symbol, session)
        ? [{ session, stored: stored.close(symbol, session), fetched: close }]
        : [],
    );
    if (isReadjusted(overlap)) {
      readjusted.push(symbol);
      continue;
    }
    for (const each of overlap) {
      if (corrected.has(each.session) || !differs(each)) continue;
      run.note(
        'correction',
        `${provider.label} has a close of ${each.fetched} for ${symbol} on ${each.session}. The stored close of ${each.stored} stays.`,
      );
    }
    const isTaken = (session: string) => corrected.has(session) || !stored.hasBar(symbol, session);
    fetched.addBars(
      its.filter(({ session }) => isTaken(session)),
      provider,
    );
  }
  return readjusted;
}

/** Fetches the full history of readjusted symbols. Returns those whose bars replace all stored bars. */
async function refetchHistories(run: Run, provider: Provider, symbols: readonly string[]): Promise<string[]> {
  if (symbols.length === 0) return [];
  const range = rangeUpTo(run.lastSession(provider, 'bars'), LIVE_LIMITS.barSessions);
  const { bars } = await run.fetchBars(provider, symbols, range);
  const histories = completeHistories(run, provider, withoutRepeatedSession(run, provider, bars), range.from);
  for (const symbol of symbols) {
    const result = histories.has(symbol)
      ? 'its full history was fetched again'
      : 'it is left out until its full history can be fetched';
    run.note('readjusted', `${provider.label} has readjusted the history of ${symbol}; ${result}.`);
  }
  run.fetched.addBars([...histories.values()].flat(), provider);
  return [...histories.keys()];
}

/**
 * Adds the bars of a fallback provider where there is no bar yet. Leaves out a symbol whose prices this provider has on
 * another scale, because the step between the scales would look like a move.
 */
function addFallback(run: Run, provider: Provider, bars: readonly Bar[]): void {
  const { stored, fetched } = run;
  const ascending = bars.toSorted((a, b) => (a.session < b.session ? -1 : 1));
  for (const [symbol, its] of groupBy(ascending, (bar) => bar.symbol)) {
    const newest = its.findLast(({ session }) => stored.hasBar(symbol, session));
    const ratio = newest === undefined ? 1 : newest.close / stored.close(symbol, newest.session);
    if (Math.abs(ratio - 1) > LIVE_LIMITS.otherScale) {
      run.note(
        'readjusted',
        `${provider.label} has prices of ${symbol} on another scale. This run leaves the symbol out.`,
      );
      continue;
    }
    fetched.addBars(
      its.filter(({ session }) => !run.hasBar(symbol, session)),
      provider,
    );
  }
}

/** Computes the TICK proxy from the members' one-minute closes up to `until` (epoch ms), unless it is stored. */
export async function fetchTick(run: Run, until: number): Promise<void> {
  const { stored, fetched } = run;
  const { session } = run.target;
  const [provider] = run.plan.find(({ mode }) => mode === 'minutes')?.providers ?? [];
  if (
    provider === undefined ||
    (stored.hasValue('tick_proxy', session) && run.hasOrigin('tick_proxy', session))
  )
    return;
  const symbols = run.members.map(({ symbol }) => symbol).filter((symbol) => fetched.hasBar(symbol, session));
  const minutes = await run.fetchMinutes(provider, symbols, until);
  const tick = minutes === null ? null : tickProxy(minutes.last, minutes.before);
  if (tick !== null) fetched.addValues([{ series: 'tick_proxy', session, value: tick }], provider);
}
