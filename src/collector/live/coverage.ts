import { previousSession } from '#domain/calendar/sessions.ts';
import type { Member } from '#domain/market-history.ts';
import { SourceError } from '../problems.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { Run } from './run.ts';

/** A session with less than this share of the fullest session's bars is not used for comparison. */
const FULL = 0.5;

/**
 * Throws SourceError unless enough members have a bar of the last of `sessions` (ascending), out of those with a bar of
 * the newest full session before it: indicators over half of the members would look like the whole market's. A session
 * without bars, as on an unscheduled holiday, is not full.
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
  if (covered >= LIVE_LIMITS.coverage * expected.length) return;
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
    if (!run.hasRecentBars(symbol)) {
      run.note('missing symbol', `No provider has bars of ${symbol}. Check the symbol in the universe file.`);
    } else if (!run.hasBar(symbol, session)) {
      run.note('missing symbol', `No provider has a bar of ${symbol} on ${session}.`);
    }
  }
}

/** Notes the series without a value of the session that should have one by now, with their providers. */
export function noteMissingInputs(run: Run): void {
  const { plan, target, stored, fetched } = run;
  for (const { inputs, providers, late } of plan) {
    const missing = new Map<string, string[]>();
    for (const input of inputs) {
      const sources = providers.filter(({ inputs }) => inputs.includes(input));
      if (input === 'bars' || sources.length === 0) continue;
      const isOpen = !target.final && sources.some((source) => source.openSessionInputs.includes(input));
      const newest = isOpen ? target.session : target.newestFinal;
      const due = late ? previousSession(newest) : newest;
      const found = fetched.newestValue(input, target.session)?.session ?? '';
      if (found >= due || (stored.newestValue(input, target.session) ?? '') >= due) continue;
      const words = `${sources.map(({ label }) => label).join(' and ')} returned no data yet for ${due}:`;
      missing.set(words, [...(missing.get(words) ?? []), input.replaceAll('_', ' ')]);
    }
    for (const [words, names] of missing) run.note('missing input', `${words} ${names.join(', ')}.`);
  }
}
