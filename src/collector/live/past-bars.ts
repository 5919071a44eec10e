import { lastSessions } from '#domain/calendar/last-sessions.ts';
import { SourceError } from '../problems.ts';
import { type FetchProgress, requestsForBars } from './fetch-progress.ts';
import { createGiven, type Given } from './given.ts';
import type { HeldView } from './held-view.ts';
import { LIVE_LIMITS } from './limits.ts';
import { joinsBars, pastEnd } from './need.ts';
import { readBars } from './read-bars.ts';
import type { LiveRun } from './run.ts';
import { takeWhole } from './whole.ts';

/** The members that come whole: new ones, and those long missed. Who was asked for in vain is left until tomorrow. */
export function symbolsToDeepen(run: LiveRun, held: HeldView): string[] {
  return run.members
    .map(({ symbol }) => symbol)
    .filter((symbol) => !joinsBars(run, held, symbol))
    .filter((symbol) => run.inVain.get(symbol) !== run.target.session);
}

/**
 * The whole past of symbols, some a part; what the first choice has nothing of comes from the next. All of a
 * symbol comes from one provider, so that its adjustments agree, and replaces what is held. Throws SourceError
 * at the end where more of the universe stayed unanswered than a session may lack.
 */
export async function* pastBars(
  run: LiveRun,
  symbols: readonly string[],
  held: HeldView,
  progress: FetchProgress,
): AsyncGenerator<Given> {
  const providers = run.plan.find(({ asking }) => asking === 'bars')?.providers ?? [];
  const to = pastEnd(run.target);
  const from = lastSessions(to, LIVE_LIMITS.barSessions)[0] ?? to;
  const inVain: string[] = [];
  for (let at = 0; at < symbols.length; at += LIVE_LIMITS.symbolsAPart) {
    const part = symbols.slice(at, at + LIVE_LIMITS.symbolsAPart);
    const given = createGiven();
    const unanswered = new Set<string>();
    let wanted = part;
    for (const [rank, provider] of providers.entries()) {
      if (wanted.length === 0) break;
      const onAnswer = (count: number) => rank === 0 && progress.done(requestsForBars(run, count));
      const reading = await readBars(run, provider, wanted, { from, to }, onAnswer);
      const whole = takeWhole(run, provider, held, reading.bars, from);
      for (const bar of [...whole.values()].flat()) given.addBar(bar, provider.name);
      for (const symbol of whole.keys()) run.deepened.symbols.add(symbol);
      for (const symbol of reading.unanswered) unanswered.add(symbol);
      wanted = wanted.filter((symbol) => !whole.has(symbol));
    }
    for (const symbol of wanted) {
      if (unanswered.has(symbol)) run.unanswered.add(symbol);
      else inVain.push(symbol);
    }
    yield given;
  }
  const all = run.members.length;
  const enough = LIVE_LIMITS.coverage * all;
  // Where nearly nobody is known, it is more likely the provider that is at fault than the universe.
  if (all - inVain.length >= enough) {
    for (const symbol of inVain) run.inVain.set(symbol, run.target.session);
  }
  const lacking = run.unanswered.size;
  if (all - lacking < enough) {
    throw new SourceError(
      `The past of ${lacking} of ${all} symbols could not be read; doctor says why, what was read is kept, and the next run goes on.`,
    );
  }
}
