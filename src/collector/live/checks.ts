import { lastSessions, previousSession } from '#domain/calendar/sessions.ts';
import type { Member } from '#domain/market-history.ts';
import { BAR_FIELDS } from '../bar-table.ts';
import { SourceError } from '../problems.ts';
import type { Bar, Provider } from '../providers/provider.ts';
import { LIVE_LIMITS } from './plan.ts';
import type { Run } from './run.ts';
import { groupBy } from './run-data.ts';

/** The fetched values of an item that are also stored, with both values. */
export function overlapOf(
  { stored }: Run,
  item: string,
  values: readonly { readonly session: string; readonly value: number }[],
) {
  return values
    .filter(({ session }) => stored.has(item, session))
    .map(({ session, value }) => ({ session, stored: stored.value(item, session), fetched: value }));
}
type Overlap = ReturnType<typeof overlapOf>[number];

/** Prices are rounded to the cent, which is more than a thousandth of a small price. */
const CENT = 0.011;

/** True if a dividend or split changed all closes by one ratio, not if a single one of several was corrected. */
export function isReadjusted(overlap: readonly Overlap[]): boolean {
  const differing = overlap.filter(differs);
  if (differing.length === 0 || (differing.length === 1 && overlap.length > 1)) return false;
  const ratios = differing.map(({ stored, fetched }) => fetched / stored).sort((a, b) => a - b);
  const ratio = ratios[Math.floor(ratios.length / 2)] as number;
  return differing.every(
    ({ stored, fetched }) =>
      Math.abs(fetched - stored * ratio) <= Math.max(CENT, LIVE_LIMITS.rounding * fetched),
  );
}

export function differs({ stored, fetched }: Overlap): boolean {
  return Math.abs(fetched / stored - 1) > LIVE_LIMITS.rounding;
}

/** Removes the bars of the run's session, with a note, if the provider repeated the bars of the previous session. */
export function withoutRepeatedSession(run: Run, provider: Provider, bars: readonly Bar[]): readonly Bar[] {
  const { session } = run.target;
  const before = previousSession(session);
  const earlier = new Map(bars.filter((bar) => bar.session === before).map((bar) => [bar.symbol, bar]));
  const pairs = bars.filter((bar) => bar.session === session && earlier.has(bar.symbol));
  const repeated = pairs.filter((bar) =>
    BAR_FIELDS.every((field) => bar[field] === earlier.get(bar.symbol)?.[field]),
  ).length;
  if (repeated === 0 || repeated < LIVE_LIMITS.repeatedShare * pairs.length) return bars;
  run.note(
    'provider',
    `${provider.label} repeats the bars of ${before} for ${session}. The repeated bars are ignored.`,
  );
  return bars.filter((bar) => bar.session !== session);
}

/** Full histories by symbol. One that lacks too many stored sessions is left out, since it replaces all stored bars. */
export function completeHistories(
  run: Run,
  provider: Provider,
  bars: readonly Bar[],
  from: string,
): Map<string, Bar[]> {
  const bySymbol = groupBy(bars, ({ symbol }) => symbol);
  for (const [symbol, its] of bySymbol) {
    const sessions = new Set(its.map(({ session }) => session));
    const stored = run.stored.sessionsOf(symbol).filter((session) => session >= from);
    const found = stored.filter((session) => sessions.has(session)).length;
    if (found >= LIVE_LIMITS.completeness * stored.length) continue;
    run.note(
      'provider',
      `${provider.label} has bars of ${symbol} on only ${found} of the ${stored.length} stored sessions. These bars are ignored.`,
    );
    bySymbol.delete(symbol);
  }
  return bySymbol;
}

/** A session with less than this share of the fullest session's bars is not used for comparison. */
const FULL = 0.5;

/**
 * Throws SourceError unless enough of the members with a bar of the newest full session before it have one of the
 * last of `sessions`. One may always be missing, because it may have ended. A session without bars, as on an
 * unscheduled holiday, is not full.
 */
export function checkCoverage(
  members: readonly Member[],
  hasBar: (symbol: string, session: string) => boolean,
  sessions: readonly string[],
): void {
  const membersOn = (session: string) => members.filter(({ symbol }) => hasBar(symbol, session));
  const earlier = sessions.slice(0, -1).map(membersOn);
  const fullest = Math.max(0, ...earlier.map(({ length }) => length));
  if (fullest === 0) {
    throw new SourceError('No provider returned a bar of any company. Run doctor for the reasons.');
  }
  const session = sessions.at(-1) ?? '';
  const expected = earlier.findLast(({ length }) => length >= FULL * fullest) ?? [];
  const covered = expected.filter(({ symbol }) => hasBar(symbol, session)).length;
  const needed = Math.min(LIVE_LIMITS.coverage * expected.length, expected.length - 1);
  if (covered > 0 && covered >= needed) return;
  const closed = covered === 0 ? ' (was the exchange closed?)' : '';
  throw new SourceError(
    `Only ${covered} of ${expected.length} symbols have a bar of ${session}${closed}. The published rows stay, and the next run retries.`,
  );
}

/** Notes the members without a bar of the run's session, and those that no provider knows. */
export function noteMissingSymbols(run: Run): void {
  const { session } = run.target;
  for (const { symbol } of run.members) {
    if (run.failedSymbols.has(symbol)) continue;
    if (!run.hasRecent(symbol)) {
      run.note('missing symbol', `No provider has bars of ${symbol}. Check the symbol in the universe file.`);
    } else if (!run.has(symbol, session)) {
      run.note('missing symbol', `No provider has a bar of ${symbol} on ${session}.`);
    }
  }
}

/** Notes the series without a value of the session that should have one by now, with their providers. */
export function noteMissingInputs(run: Run): void {
  const { plan, target, stored, fetched } = run;
  for (const { inputs, providers, late = 0 } of plan) {
    const missing = new Map<string, string[]>();
    for (const input of inputs) {
      const sources = providers.filter(({ inputs }) => inputs.includes(input));
      if (input === 'bars' || sources.length === 0) continue;
      const isOpen = !target.isSettled && sources.some((source) => source.openSessionInputs.includes(input));
      const newest = isOpen ? target.session : target.newestSettled;
      const due = lastSessions(newest, late + 1)[0] ?? newest;
      const found = fetched.newestValue(input, target.session)?.session ?? '';
      if (found >= due || (stored.newest(input, target.session) ?? '') >= due) continue;
      const words = `${sources.map(({ label }) => label).join(' and ')} returned no data yet for ${due}:`;
      missing.set(words, [...(missing.get(words) ?? []), input.replaceAll('_', ' ')]);
    }
    for (const [words, names] of missing) run.note('missing input', `${words} ${names.join(', ')}.`);
  }
}
