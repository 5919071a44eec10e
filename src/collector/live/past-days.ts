import type { FetchProgress } from './fetch-progress.ts';
import { createGiven, type Given } from './given.ts';
import type { HeldView } from './held-view.ts';
import { lastSessions } from './last-sessions.ts';
import { LIVE_LIMITS } from './limits.ts';
import { pastEnd } from './need.ts';
import { type PlannedGroup, seriesGivenBy } from './plan.ts';
import { readDay } from './read-day.ts';
import type { LiveRun } from './run.ts';

/** A day of series that come a day a request. */
export interface WantedDay {
  readonly session: string;
  readonly group: PlannedGroup;
}

/** The days before the run's session that nothing is held of, newest first. */
export function daysToRead(run: LiveRun, held: HeldView): WantedDay[] {
  const days = lastSessions(pastEnd(run.target), LIVE_LIMITS.putCallSessions).reverse();
  return run.plan
    .filter(({ asking, providers }) => asking === 'day' && providers.length > 0)
    .flatMap((group) => {
      const series = group.providers.flatMap((provider) => seriesGivenBy(provider, group.inputs));
      return days
        .filter((session) => series.every((name) => Number.isNaN(held.value(name, session))))
        .map((session) => ({ session, group }));
    });
}

/** Those days, some a part. */
export async function* pastDays(
  run: LiveRun,
  days: readonly WantedDay[],
  progress: FetchProgress,
): AsyncGenerator<Given> {
  for (let at = 0; at < days.length; at += LIVE_LIMITS.daysAPart) {
    const given = createGiven();
    for (const { session, group } of days.slice(at, at + LIVE_LIMITS.daysAPart)) {
      await readDay(run, group, session, given);
      progress.done(1);
    }
    yield given;
  }
}
