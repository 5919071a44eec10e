import { previousSession } from '#domain/calendar/sessions.ts';
import type { Given } from './given.ts';
import type { HeldView } from './held-view.ts';
import { joinsBars } from './need.ts';
import type { LiveRun } from './run.ts';
import type { Target } from './target.ts';

/** What a run has, given and held. */
interface Had {
  readonly held: HeldView;
  readonly given: Given;
  readonly target: Target;
}

/** Notes the members without a bar of the run's session, those nobody knows apart. */
export function noteMissingSymbols(run: LiveRun, { held, given, target: { session } }: Had): void {
  const { problems } = run.request;
  for (const { symbol } of run.members) {
    if (run.unanswered.has(symbol)) continue;
    if (!joinsBars(run, held, symbol)) {
      problems.note('missing symbol', `No provider has bars of ${symbol}; check it in the universe.`);
    } else if (!given.hasBar(symbol, session) && Number.isNaN(held.close(symbol, session))) {
      problems.note('missing symbol', `No provider has a bar of ${symbol} on ${session}.`);
    }
  }
}

/** Notes the series without a value of the session theirs should be of by now, and who was asked. */
export function noteMissingInputs({ plan, request }: LiveRun, { held, given, target }: Had): void {
  for (const { inputs, providers, late } of plan) {
    const missing = new Map<string, string[]>();
    for (const input of inputs) {
      const givers = providers.filter(({ gives }) => gives.includes(input));
      if (input === 'bars' || givers.length === 0) continue;
      const isOpen = !target.final && givers.some((giver) => giver.givesOpenSession.includes(input));
      const newest = isOpen ? target.session : target.newestFinal;
      const due = late ? previousSession(newest) : newest;
      const found = given.newestValue(input, target.session)?.session ?? '';
      const kept = held.newestValue(input, target.session) ?? '';
      if (found >= due || kept >= due) continue;
      const words = `${givers.map(({ label }) => label).join(' and ')} gave nothing of ${due} yet for`;
      missing.set(words, [...(missing.get(words) ?? []), input.replaceAll('_', ' ')]);
    }
    for (const [words, names] of missing)
      request.problems.note('missing input', `${words} ${names.join(', ')}.`);
  }
}
