import { lastSessions } from '#domain/calendar/last-sessions.ts';
import { nextSession, previousSession } from '#domain/calendar/sessions.ts';
import { createFetched, type Fetched } from './fetched.ts';
import { LIVE_LIMITS } from './limits.ts';
import { type PlannedGroup, seriesOf } from './plan.ts';
import type { Run } from './run.ts';
import type { Range } from './target.ts';

// Series with one request per day: put/call ratios.

/** Fetches the days of the recent sessions that are missing or have no origin, and corrections after the close. */
export async function fetchRecentDays(run: Run, group: PlannedGroup): Promise<void> {
  const { stored, fetched } = run;
  const days = lastSessions(run.target.newestFinal, LIVE_LIMITS.correctedSessions).reverse();
  const storedOn = (session: string) => allSeries(group).filter((name) => stored.hasValue(name, session));
  const withoutOrigin = days.filter((session) =>
    storedOn(session).some((name) => !run.hasOrigin(name, session)),
  );
  const wanted = days.filter((session) => storedOn(session).length === 0 || withoutOrigin.includes(session));
  await fetchDays(run, group, wanted, fetched, new Set(withoutOrigin));
  if (run.target.final && run.request.job === 'collect') await fetchDays(run, group, days, fetched);
}

/** The missing days of one group, newest first. */
export interface MissingDays {
  readonly group: PlannedGroup;
  readonly sessions: readonly string[];
}

/**
 * The missing sessions before the run's own: all of them in a backfill, one part in a scheduled run, so that scheduled
 * runs complete a failed backfill.
 */
export function daysToBackfill(run: Run): MissingDays[] {
  const { plan, stored, target, knownGaps } = run;
  const sessions = lastSessions(previousSession(target.session), LIVE_LIMITS.putCallSessions).reverse();
  return plan
    .filter(({ mode, providers }) => mode === 'day' && providers.length > 0)
    .map((group) => {
      const isStored = (session: string) => allSeries(group).some((name) => stored.hasValue(name, session));
      const missing = sessions.filter((session) => !isStored(session));
      if (run.request.job === 'backfill') return { group, sessions: missing };
      const isKnownGap = (session: string) => knownGaps.get(keyOf(group, session)) === target.session;
      return {
        group,
        sessions: missing.filter((session) => !isKnownGap(session)).slice(0, LIVE_LIMITS.daysPerPart),
      };
    });
}

/**
 * Fetches missing days in parts. Stops after a part without any value, since earlier days have none either, and after
 * a failure. `onProgress` gets the number of finished requests.
 */
export async function* backfillDays(
  run: Run,
  missing: readonly MissingDays[],
  onProgress: (requests: number) => void,
): AsyncGenerator<Fetched> {
  for (const { group, sessions } of missing) {
    for (let at = 0; at < sessions.length; at += LIVE_LIMITS.daysPerPart) {
      const part = createFetched();
      const days = sessions.slice(at, at + LIVE_LIMITS.daysPerPart);
      const succeeded = await fetchDays(run, group, days, part);
      if (succeeded) {
        for (const session of days) {
          if (!allSeries(group).some((name) => part.hasValue(name, session)))
            run.knownGaps.set(keyOf(group, session), run.target.session);
        }
      }
      if (!part.empty) yield part;
      if (succeeded && !part.empty) {
        onProgress(days.length);
        continue;
      }
      onProgress(sessions.length - at);
      if (!succeeded) {
        const names = group.inputs.join(', ').replaceAll('_', ' ');
        run.note(
          'missing input',
          `The history of ${names} up to ${days[0]} is incomplete; each later run fetches some more days.`,
        );
      }
      break;
    }
  }
}

/**
 * Fetches days, newest first, into `fetched`: each once per run, except those in `again`. A fallback gets the days
 * that the first provider lacks. Consecutive sessions are one request, so that the provider can distinguish a
 * block from days without data. Returns false if a request failed.
 */
async function fetchDays(
  run: Run,
  group: PlannedGroup,
  sessions: readonly string[],
  fetched: Fetched,
  again: ReadonlySet<string> = new Set(),
): Promise<boolean> {
  const { requestedDays } = run;
  let wanted = sessions.filter((session) => again.has(session) || !requestedDays.has(keyOf(group, session)));
  for (const session of wanted) requestedDays.add(keyOf(group, session));
  let succeeded = true;
  for (const provider of group.providers) {
    const series = seriesOf(provider, group.inputs);
    for (const range of rangesOf(wanted)) {
      const values = await run.fetchSeries(provider, series, range);
      succeeded &&= values !== null;
      fetched.addValues(values ?? [], provider);
    }
    wanted = wanted.filter((session) => !series.some((name) => fetched.hasValue(name, session)));
  }
  return succeeded;
}

const allSeries = ({ providers, inputs }: PlannedGroup) =>
  providers.flatMap((provider) => seriesOf(provider, inputs));

const keyOf = ({ inputs }: PlannedGroup, session: string) => `${inputs[0]} ${session}`;

/** Ranges of consecutive sessions, newest first. */
function rangesOf(sessions: readonly string[]): Range[] {
  const ranges: { from: string; to: string }[] = [];
  for (const session of sessions) {
    const range = ranges.at(-1);
    if (range !== undefined && nextSession(session) === range.from) range.from = session;
    else ranges.push({ from: session, to: session });
  }
  return ranges;
}
