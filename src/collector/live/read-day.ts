import type { Given } from './given.ts';
import { type PlannedGroup, seriesGivenBy } from './plan.ts';
import { readSeries } from './read-series.ts';
import type { LiveRun } from './run.ts';

/** Reads one day of series that come a day a request, from the first provider that has it; once a run. */
export async function readDay(
  run: LiveRun,
  { inputs, providers }: PlannedGroup,
  session: string,
  given: Given,
): Promise<void> {
  const key = `${inputs[0]} ${session}`;
  if (run.daysAsked.has(key)) return;
  run.daysAsked.add(key);
  for (const provider of providers) {
    const values = await readSeries(run, provider, seriesGivenBy(provider, inputs), {
      from: session,
      to: session,
    });
    for (const { series, value } of values ?? []) given.addValue(series, session, value, provider.name);
    if ((values ?? []).length > 0) return;
  }
}
