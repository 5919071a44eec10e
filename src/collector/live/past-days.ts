import { lastSessions } from '#domain/calendar/last-sessions.ts';
import type { FetchProgress } from './fetch-progress.ts';
import { createGiven, type Given } from './given.ts';
import type { HeldView } from './held-view.ts';
import { LIVE_LIMITS } from './limits.ts';
import { pastEnd } from './need.ts';
import { type PlannedGroup, seriesGivenBy } from './plan.ts';
import { readDays } from './read-days.ts';
import type { LiveRun } from './run.ts';

/** Days of series that come a day a request. */
export interface WantedDays {
  readonly group: PlannedGroup;
  /** Newest first. */
  readonly sessions: readonly string[];
}

/**
 * The sessions before the run's own that nothing is held of: in a backfill all, in a run of the schedule a part, so
 * that a past which a backfill did not get comes by and by. One that had nothing is asked for once a session.
 */
export function daysToRead(run: LiveRun, held: HeldView): WantedDays[] {
  const sessions = lastSessions(pastEnd(run.target), LIVE_LIMITS.putCallSessions).reverse();
  return run.plan
    .filter(({ asking, providers }) => asking === 'day' && providers.length > 0)
    .map((group) => {
      const series = group.providers.flatMap((provider) => seriesGivenBy(provider, group.inputs));
      const isHeld = (session: string) => series.some((name) => !Number.isNaN(held.value(name, session)));
      const missing = sessions.filter((session) => !isHeld(session));
      if (run.request.job === 'backfill') return { group, sessions: missing };
      const inVain = (session: string) => run.inVain.get(dayKey(group, session)) === run.target.session;
      return {
        group,
        sessions: missing.filter((session) => !inVain(session)).slice(0, LIVE_LIMITS.daysAPart),
      };
    });
}

/**
 * Those days, some a part. A part without any value ends it, for earlier days would have none either, and so does a
 * provider that fails.
 */
export async function* pastDays(
  run: LiveRun,
  wanted: readonly WantedDays[],
  progress: FetchProgress,
): AsyncGenerator<Given> {
  for (const { group, sessions } of wanted) {
    for (let at = 0; at < sessions.length; at += LIVE_LIMITS.daysAPart) {
      const given = createGiven();
      const part = sessions.slice(at, at + LIVE_LIMITS.daysAPart);
      const answered = await readDays(run, group, part, given);
      if (answered) noteInVain(run, group, part, given);
      if (!given.empty) yield given;
      if (answered && !given.empty) {
        progress.done(part.length);
        continue;
      }
      progress.done(sessions.length - at);
      if (!answered) noteRest(run, group, part);
      break;
    }
  }
}

const dayKey = ({ inputs }: PlannedGroup, session: string) => `${inputs[0]} ${session}`;

function noteInVain(
  { inVain, target }: LiveRun,
  group: PlannedGroup,
  part: readonly string[],
  given: Given,
): void {
  const series = group.providers.flatMap((provider) => seriesGivenBy(provider, group.inputs));
  for (const session of part) {
    if (!series.some((name) => given.hasValue(name, session)))
      inVain.set(dayKey(group, session), target.session);
  }
}

function noteRest(
  { request: { problems } }: LiveRun,
  { inputs }: PlannedGroup,
  [newest]: readonly string[],
): void {
  const names = inputs.join(', ').replaceAll('_', ' ');
  problems.note(
    'missing input',
    `The past of ${names} up to ${newest} is not all there; later runs ask for it again, some days each.`,
  );
}
