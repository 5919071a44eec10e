import { lastSessions } from '#domain/calendar/last-sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import type { FetchProgress } from './fetch-progress.ts';
import { createGiven, type Given } from './given.ts';
import type { HeldView } from './held-view.ts';
import { LIVE_LIMITS } from './limits.ts';
import { joinsSeries, pastEnd } from './need.ts';
import { type PlannedGroup, seriesGivenBy } from './plan.ts';
import { readSeries } from './read-series.ts';
import type { LiveRun } from './run.ts';

/** A series that comes whole, and who can give it. */
export interface WantedSeries {
  readonly name: SeriesName;
  readonly providers: PlannedGroup['providers'];
}

/** The series that come whole: those not held up to the recent sessions, of which somebody has a past. */
export function seriesToDeepen(run: LiveRun, held: HeldView): WantedSeries[] {
  return run.plan
    .filter(({ asking }) => asking === 'span')
    .flatMap(({ inputs, providers }) =>
      providers.flatMap((provider) => seriesGivenBy(provider, inputs)).map((name) => ({ name, providers })),
    )
    .filter(({ name }, at, all) => all.findIndex((other) => other.name === name) === at)
    .filter(({ name }) => !joinsSeries(run, held, name));
}

/** The whole past of each series, from the first provider that has any: a part a series. */
export async function* pastSeries(
  run: LiveRun,
  wanted: readonly WantedSeries[],
  progress: FetchProgress,
): AsyncGenerator<Given> {
  const to = pastEnd(run.target);
  const from = lastSessions(to, LIVE_LIMITS.seriesSessions)[0] ?? to;
  for (const { name, providers } of wanted) {
    const given = createGiven();
    for (const provider of providers) {
      const values = await readSeries(run, provider, [name], { from, to });
      for (const { session, value } of values ?? []) given.addValue(name, session, value, provider.name);
      if (given.empty) continue;
      run.deepened.series.add(name);
      break;
    }
    progress.done(1);
    yield given;
  }
}
