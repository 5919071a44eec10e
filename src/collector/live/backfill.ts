import { previousSession } from '#domain/calendar/sessions.ts';
import { type MarketHistory, OUTLOOK_SERIES, type SeriesName } from '#domain/market-history.ts';
import { SourceError } from '../problems.ts';
import { completeHistories } from './checks.ts';
import { missingDayParts } from './fetch-series.ts';
import { LIVE_LIMITS, rangeUpTo, seriesOf } from './plan.ts';
import type { Run } from './run.ts';
import { createFetched, type Fetched, groupsOf, type Part } from './run-data.ts';

/** Bars of one page of a provider that takes many symbols per request. */
const BARS_PER_PAGE = 10_000;

/** Fetches the history before the run's session part by part. Throws SourceError if too many members failed. */
export async function* backfillParts(run: Run): AsyncGenerator<MarketHistory> {
  const { members, universe } = run;
  const { report } = run.request;
  const unknown: string[] = [];
  const bars = barParts(run, unknown);
  const others = [...seriesParts(run), ...missingDayParts(run)];
  const total = Math.ceil([...bars, ...others].reduce((sum, { requests }) => sum + requests, 0));
  if (total > 0) report({ stage: 'fetching', done: 0, total });
  let done = 0;
  async function* fetchAll(parts: readonly Part[]) {
    for (const { requests, fetch } of parts) {
      const part = await fetch();
      done += requests;
      report({ stage: 'fetching', done: Math.min(total, Math.ceil(done)), total });
      if (!part.empty) yield part.toHistory(members, universe);
    }
  }
  yield* fetchAll(bars);
  checkBackfilledBars(run, unknown);
  yield* fetchAll(others);
}

/** Histories of members without recent bars. Leaves out, and adds to `unknown`, symbols that no provider has. */
function barParts(run: Run, unknown: string[]): Part[] {
  const { members, knownGaps, target } = run;
  const symbols = members
    .map(({ symbol }) => symbol)
    .filter((symbol) => !run.hasRecent(symbol) && knownGaps.get(symbol) !== target.session);
  const requestsPerSymbol =
    run.barProviders[0]?.symbolsPerRequest === 1 ? 1 : LIVE_LIMITS.barSessions / BARS_PER_PAGE;
  return groupsOf(symbols, LIVE_LIMITS.symbolsPerPart).map((group) => ({
    requests: group.length * requestsPerSymbol,
    fetch: () => backfillBars(run, group, unknown),
  }));
}

/** Fetches full histories, each from one provider, so that all bars of a symbol have the same adjustments. */
async function backfillBars(run: Run, symbols: readonly string[], unknown: string[]): Promise<Fetched> {
  const range = rangeUpTo(previousSession(run.target.session), LIVE_LIMITS.barSessions);
  const part = createFetched();
  const failed = new Set<string>();
  let wanted = symbols;
  for (const provider of run.barProviders) {
    if (wanted.length === 0) break;
    const reading = await run.fetchBars(provider, wanted, range);
    const histories = completeHistories(run, provider, reading.bars, range.from);
    part.addBars([...histories.values()].flat(), provider);
    for (const symbol of histories.keys()) run.backfilled.add(symbol);
    for (const symbol of reading.failed) failed.add(symbol);
    wanted = wanted.filter((symbol) => !histories.has(symbol));
  }
  for (const symbol of wanted) {
    if (failed.has(symbol)) run.failedSymbols.add(symbol);
    else unknown.push(symbol);
  }
  return part;
}

/** Records unknown symbols as known gaps. Throws SourceError if the bars of too many members failed. */
function checkBackfilledBars(
  { members, knownGaps, target, failedSymbols }: Run,
  unknown: readonly string[],
): void {
  const all = members.length;
  const enough = LIVE_LIMITS.coverage * all;
  // If nearly all members are unknown, the provider is more likely wrong than the universe.
  if (all - unknown.length >= enough) {
    for (const symbol of unknown) knownGaps.set(symbol, target.session);
  }
  const failures = failedSymbols.size;
  if (all - failures < enough) {
    throw new SourceError(
      `The history of ${failures} of ${all} symbols could not be fetched. Run doctor for the reasons. The next run fetches the missing history.`,
    );
  }
}

/** Parts with the histories of series without recent values, one series each, from the first provider that has any. */
function seriesParts(run: Run): Part[] {
  const parts = new Map<SeriesName, Part>();
  const range = rangeUpTo(previousSession(run.target.session), LIVE_LIMITS.seriesSessions);
  const rangeOf = (name: SeriesName) =>
    OUTLOOK_SERIES.includes(name) ? { ...range, from: LIVE_LIMITS.longSeriesFrom } : range;
  for (const { mode, inputs, providers } of run.plan) {
    if (mode !== 'range') continue;
    for (const name of providers.flatMap((provider) => seriesOf(provider, inputs))) {
      if (run.hasRecent(name)) continue;
      const fetch = async () => {
        const part = createFetched();
        for (const provider of providers) {
          part.addValues((await run.fetchSeries(provider, [name], rangeOf(name))) ?? [], provider);
          if (part.empty) continue;
          run.backfilled.add(name);
          break;
        }
        return part;
      };
      parts.set(name, { requests: 1, fetch });
    }
  }
  return [...parts.values()];
}
