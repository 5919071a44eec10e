import { sessionClose, sessionOpen } from '#domain/calendar/sessions.ts';
import { SourceError } from '../problems.ts';
import type { InputOrigin, SourceReading } from '../sources/source.ts';
import { checkCoverage, noteMissingInputs, noteMissingSymbols } from './coverage.ts';
import { fetchRecentDays, fetchRecentSeries } from './fetch-series.ts';
import { fetchRecentBars, fetchTick } from './recent-bars.ts';
import type { Run } from './run.ts';

/** Latest time of values of an open session (ms before the closing bell). */
const BEFORE_CLOSE = 60_000;

/**
 * Fetches the recent sessions of all inputs, from all providers at once. Throws SourceError if too few members have a
 * bar of the run's session, or the run has ended.
 */
export async function fetchRecent(run: Run): Promise<SourceReading> {
  const { target, members, fetched, hasBar, recent } = run;
  const { now } = run.request;
  const bars = fetchRecentBars(run).then(async (recent) => {
    const { observedAt } = recent;
    if (observedAt !== null) await fetchTick(run, Math.min(observedAt, sessionClose(target.session)));
    return recent;
  });
  const series = run.plan.flatMap((group) => {
    if (group.mode === 'day') return [fetchRecentDays(run, group)];
    return group.mode === 'range' || group.mode === 'newest' ? [fetchRecentSeries(run, group)] : [];
  });
  await settleAll([bars, ...series]);
  const { replaced, observedAt } = await bars;

  noteMissingSymbols(run);
  noteMissingInputs(run);
  checkCoverage(members, hasBar, recent);
  // Stored bars alone can pass the check of the coverage, even if every request of this run failed.
  if (fetched.empty) {
    throw new SourceError('No provider returned data. The published rows stay, and the next run retries.');
  }

  const history = fetched.toHistory(members, run.universe, {
    sessions: recent.filter((day) => members.some(({ symbol }) => hasBar(symbol, day))),
    symbols: new Set(
      members.map(({ symbol }) => symbol).filter((symbol) => recent.some((day) => hasBar(symbol, day))),
    ),
  });
  const withinSession = (instant: number) =>
    Math.max(sessionOpen(target.session), Math.min(instant, sessionClose(target.session) - BEFORE_CLOSE));
  const open = target.final ? null : { bars: withinSession(observedAt ?? now), series: withinSession(now) };
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

/**
 * Returns the origin of each input's newest value at or before `session`. Stored values have neither provider nor fetch
 * time here; an earlier run recorded them. `open` has the times at which values of the open session were observed.
 */
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
      const before = isBars ? stored.newestSession(session) : stored.newestValue(input, session);
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
