import { sessionClose, sessionOpen } from '#domain/calendar/sessions.ts';
import { tickProxy } from '#domain/indicators/tick.ts';
import type { InputOrigin, SourceReading } from '../history/source.ts';
import { SourceError } from '../problems.ts';
import type { Bar, Provider } from '../providers/provider.ts';
import {
  checkCoverage,
  completeHistories,
  differs,
  isReadjusted,
  noteMissingInputs,
  noteMissingSymbols,
  overlapOf,
  withoutRepeatedSession,
} from './checks.ts';
import { fetchRecentDays, fetchRecentSeries } from './fetch-series.ts';
import { LIVE_LIMITS, rangeUpTo } from './plan.ts';
import type { Run } from './run.ts';
import { groupBy } from './run-data.ts';

/** Latest time of values of an open session (ms before the closing bell). */
const BEFORE_CLOSE = 60_000;

/** Fetches the recent sessions of all inputs. Throws SourceError if too few members have a bar of the run's session. */
export async function fetchRecent(run: Run): Promise<SourceReading> {
  const { target, members, fetched, has, recent } = run;
  const { now } = run.request;
  const bars = fetchRecentBars(run).then(async (reading) => {
    const { observedAt } = reading;
    if (observedAt !== null) await fetchTick(run, Math.min(observedAt, sessionClose(target.session)));
    return reading;
  });
  const series = run.plan.flatMap((group) => {
    if (group.mode === 'day') return [fetchRecentDays(run, group)];
    return group.mode === 'range' || group.mode === 'newest' ? [fetchRecentSeries(run, group)] : [];
  });
  await settleAll([bars, ...series]);
  const { replaced, observedAt } = await bars;

  noteMissingSymbols(run);
  noteMissingInputs(run);
  checkCoverage(members, has, recent);
  // Stored bars alone can pass the check of the coverage, even if every request of this run failed.
  if (fetched.empty) {
    throw new SourceError('No provider returned data. The published rows stay, and the next run retries.');
  }

  const history = fetched.toHistory(members, run.universe, {
    sessions: recent.filter((day) => members.some(({ symbol }) => has(symbol, day))),
    symbols: new Set(
      members.map(({ symbol }) => symbol).filter((symbol) => recent.some((day) => has(symbol, day))),
    ),
  });
  const withinSession = (instant: number) =>
    Math.max(sessionOpen(target.session), Math.min(instant, sessionClose(target.session) - BEFORE_CLOSE));
  const open = target.isSettled
    ? null
    : { bars: withinSession(observedAt ?? now), series: withinSession(now) };
  return {
    history,
    members,
    replaced,
    observedAt: open?.bars ?? null,
    originsOf: (session) => originsOf(run, session, open),
  };
}

/** Waits for all fetches, so that no request outlives a failed run. Then throws the first error. */
async function settleAll(fetches: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(fetches);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** The origin of each input's newest value up to `session`. `open` has the times of values of the open session. */
function originsOf(
  { plan, stored, fetched, target, http, request }: Run,
  session: string,
  open: { readonly bars: number; readonly series: number } | null,
): InputOrigin[] {
  return plan
    .flatMap(({ inputs }) => inputs)
    .map((input) => {
      const isBars = input === 'bars';
      const bars = isBars ? fetched.newestBars(session) : null;
      const found = isBars ? bars : fetched.newestValue(input, session);
      const before = isBars ? stored.newestSession(session) : stored.newest(input, session);
      const isNewest = found !== null && (before === null || found.session >= before);
      // A few bars that fill gaps among stored ones do not make their provider the origin.
      const isMost = bars === null || 2 * bars.bars >= stored.barsOn(bars.session);
      const provider = isNewest && isMost ? found.provider : null;
      const newest = provider === null ? before : (found?.session ?? null);
      if (newest === null) return { input, provider, session: null, observedAt: null, fetchedAt: null };
      const isOpen = open !== null && newest === target.session;
      const observedAt = isOpen ? (isBars ? open.bars : open.series) : sessionClose(newest);
      const fetchedAt = provider === null ? null : (http.lastResponseAt(provider) ?? request.now);
      return { input, provider, session: newest, observedAt, fetchedAt };
    });
}

/**
 * Fetches the recent sessions of all members that need no backfill from the first provider. Then fetches the bars that
 * the run's session still lacks from the other providers. Returns the symbols whose bars replace all stored ones, and the
 * median instant up to which the bars of the run's session reach (epoch ms; null without bars).
 */
async function fetchRecentBars(run: Run) {
  const { target } = run;
  const symbols = run.members.map(({ symbol }) => symbol).filter(run.hasRecent);
  const leftOut = new Set<string>();
  const observedAt: number[] = [];
  let replaced: readonly string[] = [];
  for (const [rank, provider] of run.barProviders.entries()) {
    const isMissing = (symbol: string) => !leftOut.has(symbol) && !run.has(symbol, target.session);
    const wanted = rank === 0 ? symbols : symbols.filter(isMissing);
    if (wanted.length === 0) break;
    const range = { from: run.firstRecent, to: run.lastSession(provider, 'bars') };
    const reading = await run.fetchBars(provider, wanted, range);
    const bars = withoutRepeatedSession(run, provider, reading.bars);
    if (rank === 0) {
      const readjusted = addFirstChoice(run, provider, bars);
      replaced = await refetchHistories(run, provider, readjusted);
      for (const symbol of readjusted) if (!replaced.includes(symbol)) leftOut.add(symbol);
    } else addMissingBars(run, provider, bars);
    if (bars.some(({ session }) => session === target.session)) observedAt.push(...reading.observedAt);
  }
  return { replaced, observedAt: observedAt.sort((a, b) => a - b)[observedAt.length >> 1] ?? null };
}

/** Adds the first provider's bars, which correct the newest stored ones. Returns and omits readjusted symbols. */
function addFirstChoice(run: Run, provider: Provider, bars: readonly Bar[]): string[] {
  const readjusted: string[] = [];
  for (const [symbol, its] of groupBy(bars, (bar) => bar.symbol)) {
    const closes = its.map(({ session, close }) => ({ session, value: close }));
    const overlap = overlapOf(run, symbol, closes);
    if (isReadjusted(overlap)) {
      readjusted.push(symbol);
      continue;
    }
    for (const each of overlap) {
      if (run.isTaken(symbol, each.session) || !differs(each)) continue;
      run.note(
        'correction',
        `${provider.label} has a close of ${each.fetched} for ${symbol} on ${each.session}. The stored close of ${each.stored} stays.`,
      );
    }
    const taken = its.filter(({ session }) => run.isTaken(symbol, session));
    run.fetched.addBars(taken, provider);
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

/** Adds bars where there are none, unless this provider's scale differs: the step would look like a move. */
function addMissingBars(run: Run, provider: Provider, bars: readonly Bar[]): void {
  const { stored, fetched } = run;
  const ascending = bars.toSorted((a, b) => (a.session < b.session ? -1 : 1));
  for (const [symbol, its] of groupBy(ascending, (bar) => bar.symbol)) {
    const newest = its.findLast(({ session }) => stored.has(symbol, session));
    const ratio = newest === undefined ? 1 : newest.close / stored.value(symbol, newest.session);
    if (Math.abs(ratio - 1) > LIVE_LIMITS.otherScale) {
      run.note(
        'readjusted',
        `${provider.label} has prices of ${symbol} on another scale. This run leaves the symbol out.`,
      );
      continue;
    }
    const missing = its.filter(({ session }) => !run.has(symbol, session));
    fetched.addBars(missing, provider);
  }
}

/** Computes the TICK proxy from the members' one-minute closes up to `until` (epoch ms), unless it is stored. */
async function fetchTick(run: Run, until: number): Promise<void> {
  const { stored, fetched } = run;
  const { session } = run.target;
  const [provider] = run.plan.find(({ mode }) => mode === 'minutes')?.providers ?? [];
  if (provider === undefined) return;
  if (stored.has('tick_proxy', session) && run.hasOrigin('tick_proxy', session)) return;
  const symbols = run.members.map(({ symbol }) => symbol).filter((symbol) => fetched.has(symbol, session));
  const minutes = await run.fetchMinutes(provider, symbols, until);
  const tick = minutes === null ? null : tickProxy(minutes.last, minutes.before);
  if (tick !== null) fetched.addValues([{ series: 'tick_proxy', session, value: tick }], provider);
}
