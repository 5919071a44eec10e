import { previousSession } from '#domain/calendar/sessions.ts';
import type { MarketHistory, SeriesName } from '#domain/market-history.ts';
import { SourceError } from '../problems.ts';
import type { Report } from '../progress.ts';
import type { Provider } from '../providers/provider.ts';
import { completeHistories } from './bar-checks.ts';
import { backfillDays, daysToBackfill } from './day-series.ts';
import { createFetched, type Fetched } from './fetched.ts';
import { LIVE_LIMITS } from './limits.ts';
import { seriesOf } from './plan.ts';
import { barProviders } from './recent-bars.ts';
import type { Run } from './run.ts';
import { rangeUpTo } from './target.ts';

/** Bars of one page of a provider that takes many symbols per request. */
const BARS_PER_PAGE = 10_000;

/**
 * Fetches missing history part by part: bars, then series, then days of put/call ratios, all before the run's session.
 * Throws SourceError if the bars of too many members failed.
 */
export async function* backfillParts(run: Run): AsyncGenerator<MarketHistory> {
  const symbols = symbolsToBackfill(run);
  const series = seriesToBackfill(run);
  const days = daysToBackfill(run);
  const onProgress = reportRequests(
    run.request.report,
    barRequests(run, symbols.length) +
      series.length +
      days.reduce((sum, { sessions }) => sum + sessions.length, 0),
  );
  for (const parts of [
    backfillBars(run, symbols, onProgress),
    backfillSeries(run, series, onProgress),
    backfillDays(run, days, onProgress),
  ]) {
    for await (const part of parts) if (!part.empty) yield part.toHistory(run.members, run.universe);
  }
}

/** Reports finished requests of `expected`. Requests are evenly spaced, so the rest is proportional to the time left. */
function reportRequests(report: Report, expected: number): (requests: number) => void {
  const total = Math.ceil(expected);
  let done = 0;
  if (total > 0) report({ stage: 'fetching', done, total });
  return (requests) => {
    done += requests;
    report({ stage: 'fetching', done: Math.min(total, Math.ceil(done)), total });
  };
}

/** Approximate number of requests for the full history of so many symbols. */
function barRequests(run: Run, symbols: number): number {
  const [first] = barProviders(run);
  return symbols * (first?.symbolsPerRequest === 1 ? 1 : LIVE_LIMITS.barSessions / BARS_PER_PAGE);
}

/** Members without recent bars, except those that no provider had in an earlier run of this session. */
function symbolsToBackfill(run: Run): string[] {
  return run.members
    .map(({ symbol }) => symbol)
    .filter((symbol) => !run.hasRecentBars(symbol))
    .filter((symbol) => run.knownGaps.get(symbol) !== run.target.session);
}

/**
 * Fetches full histories, some symbols per part. All bars of a symbol come from one provider, so that they have the
 * same adjustments, and replace the stored ones.
 */
async function* backfillBars(
  run: Run,
  symbols: readonly string[],
  onProgress: (requests: number) => void,
): AsyncGenerator<Fetched> {
  const range = rangeUpTo(previousSession(run.target.session), LIVE_LIMITS.barSessions);
  const unknown: string[] = [];
  for (let at = 0; at < symbols.length; at += LIVE_LIMITS.symbolsPerPart) {
    const part = createFetched();
    const failed = new Set<string>();
    let wanted = symbols.slice(at, at + LIVE_LIMITS.symbolsPerPart);
    for (const [rank, provider] of barProviders(run).entries()) {
      if (wanted.length === 0) break;
      const reading = await run.fetchBars(provider, wanted, range, (count) => {
        if (rank === 0) onProgress(barRequests(run, count));
      });
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
    yield part;
  }
  const all = run.members.length;
  const enough = LIVE_LIMITS.coverage * all;
  // If nearly all members are unknown, the provider is more likely wrong than the universe.
  if (all - unknown.length >= enough) {
    for (const symbol of unknown) run.knownGaps.set(symbol, run.target.session);
  }
  const failures = run.failedSymbols.size;
  if (all - failures < enough) {
    throw new SourceError(
      `The history of ${failures} of ${all} symbols could not be fetched; run doctor for the reasons. The next run continues with what is stored.`,
    );
  }
}

/** A series without recent values, and its providers. */
interface MissingSeries {
  readonly name: SeriesName;
  readonly providers: readonly Provider[];
}

function seriesToBackfill(run: Run): MissingSeries[] {
  const series = new Map<SeriesName, MissingSeries>();
  for (const { mode, inputs, providers } of run.plan) {
    if (mode !== 'range') continue;
    for (const name of providers.flatMap((provider) => seriesOf(provider, inputs))) {
      if (!series.has(name) && !run.hasRecentValues(name)) series.set(name, { name, providers });
    }
  }
  return [...series.values()];
}

/** Fetches the full history of each series from the first provider that has any: one part per series. */
async function* backfillSeries(
  run: Run,
  missing: readonly MissingSeries[],
  onProgress: (requests: number) => void,
): AsyncGenerator<Fetched> {
  const range = rangeUpTo(previousSession(run.target.session), LIVE_LIMITS.seriesSessions);
  for (const { name, providers } of missing) {
    const part = createFetched();
    for (const provider of providers) {
      part.addValues((await run.fetchSeries(provider, [name], range)) ?? [], provider);
      if (part.empty) continue;
      run.backfilled.add(name);
      break;
    }
    onProgress(1);
    yield part;
  }
}
