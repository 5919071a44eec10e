import { nextSession } from '#domain/calendar/sessions.ts';
import type { Given } from './given.ts';
import { type PlannedGroup, seriesGivenBy } from './plan.ts';
import { readSeries } from './read-series.ts';
import type { LiveRun } from './run.ts';

/**
 * Reads sessions, newest first, of series that come a day a request; each once a run but for those of `again`. What
 * the first choice has not comes from the next. Sessions that follow on each other are asked for together, so that
 * the provider can tell a block from days without figures. False when a question got no answer.
 */
export async function readDays(
  run: LiveRun,
  { inputs, providers }: PlannedGroup,
  sessions: readonly string[],
  given: Given,
  again: ReadonlySet<string> = new Set(),
): Promise<boolean> {
  const keyOf = (session: string) => `${inputs[0]} ${session}`;
  let wanted = sessions.filter((session) => again.has(session) || !run.daysAsked.has(keyOf(session)));
  for (const session of wanted) run.daysAsked.add(keyOf(session));
  let answered = true;
  for (const provider of providers) {
    const series = seriesGivenBy(provider, inputs);
    for (const span of spansOf(wanted)) {
      const values = await readSeries(run, provider, series, span);
      answered &&= values !== null;
      for (const each of values ?? []) given.addValue(each.series, each.session, each.value, provider.name);
    }
    wanted = wanted.filter((session) => !series.some((name) => given.hasValue(name, session)));
  }
  return answered;
}

/** Runs of sessions that follow on each other, newest first. */
function spansOf(sessions: readonly string[]): { from: string; to: string }[] {
  const spans: { from: string; to: string }[] = [];
  for (const session of sessions) {
    const span = spans.at(-1);
    if (span !== undefined && nextSession(session) === span.from) span.from = session;
    else spans.push({ from: session, to: session });
  }
  return spans;
}
