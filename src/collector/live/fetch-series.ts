import { lastSessions, nextSession, previousSession } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import type { Provider } from '../providers/provider.ts';
import { isReadjusted, overlapOf } from './checks.ts';
import { LIVE_LIMITS, type PlannedGroup, type Range, rangeUpTo, seriesOf } from './plan.ts';
import type { Run } from './run.ts';
import { createFetched, type Fetched, groupBy, groupsOf, type Part, type SeriesValue } from './run-data.ts';

/** Fetches the recent sessions of series from the first provider, and values the newest one lacks from the others. */
export async function fetchRecentSeries(run: Run, group: PlannedGroup): Promise<void> {
  for (const [rank, provider] of group.providers.entries()) {
    const names = seriesOf(provider, group.inputs)
      .filter((name) => group.mode === 'newest' || run.hasRecent(name))
      .filter((name) => rank === 0 || !run.has(name, run.lastSession(provider, name)));
    for (const [to, series] of groupBy(names, (name) => run.lastSession(provider, name))) {
      const values = (await run.fetchSeries(provider, series, { from: run.firstRecent, to })) ?? [];
      if (rank === 0) await addFirstChoice(run, group, provider, values);
      else {
        const missing = values.filter((each) => !run.has(each.series, each.session));
        run.fetched.addValues(missing, provider);
      }
    }
  }
}

/** Adds the first provider's values, which correct the newest stored ones; the full history if it was readjusted. */
async function addFirstChoice(
  run: Run,
  { adjusted }: PlannedGroup,
  provider: Provider,
  values: readonly SeriesValue[],
): Promise<void> {
  for (const [name, its] of groupBy(values, ({ series }) => series)) {
    if (adjusted && isReadjusted(overlapOf(run, name, its))) await refetchHistory(run, provider, name);
    else {
      const taken = its.filter(({ session }) => run.isTaken(name, session));
      run.fetched.addValues(taken, provider);
    }
  }
}

async function refetchHistory(run: Run, provider: Provider, name: SeriesName): Promise<void> {
  const range = rangeUpTo(run.lastSession(provider, name), LIVE_LIMITS.seriesSessions);
  const values = (await run.fetchSeries(provider, [name], range)) ?? [];
  const label = name.replaceAll('_', ' ');
  const result = values.length === 0 ? 'this run leaves it out' : 'its full history was fetched again';
  run.note('readjusted', `${provider.label} has readjusted the history of ${label}; ${result}.`);
  run.fetched.addValues(values, provider);
}

// Series with one request per day: put/call ratios.

/** Fetches those days of the recent sessions that are missing or have no origin, and corrections after the close. */
export async function fetchRecentDays(run: Run, group: PlannedGroup): Promise<void> {
  const { stored, fetched } = run;
  const days = lastSessions(run.target.newestSettled, LIVE_LIMITS.correctedSessions).reverse();
  const storedOn = (session: string) => allSeries(group).filter((name) => stored.has(name, session));
  const withoutOrigin = days.filter((session) =>
    storedOn(session).some((name) => !run.hasOrigin(name, session)),
  );
  const wanted = days.filter((session) => storedOn(session).length === 0 || withoutOrigin.includes(session));
  await fetchDays(run, group, wanted, fetched, new Set(withoutOrigin));
  if (run.target.isSettled && run.request.job === 'collect') await fetchDays(run, group, days, fetched);
}

/**
 * The missing sessions, newest first: all for a backfill, else one part. Stops after a failure, and after a part without a
 * value, because earlier days have none either.
 */
export function missingDayParts(run: Run): Part[] {
  const { plan, stored, target, knownGaps } = run;
  const sessions = lastSessions(previousSession(target.session), LIVE_LIMITS.putCallSessions).reverse();
  const groups = plan.filter(({ mode, providers }) => mode === 'day' && providers.length > 0);
  return groups.flatMap((group) => {
    const names = allSeries(group);
    const missing = sessions.filter((session) => !names.some((name) => stored.has(name, session)));
    const isKnownGap = (session: string) => knownGaps.get(keyOf(group, session)) === target.session;
    const wanted =
      run.request.job === 'backfill'
        ? missing
        : missing.filter((session) => !isKnownGap(session)).slice(0, LIVE_LIMITS.daysPerPart);
    let isOver = false;
    return groupsOf(wanted, LIVE_LIMITS.daysPerPart).map((days) => ({
      requests: days.length,
      async fetch() {
        const part = createFetched();
        if (isOver) return part;
        const succeeded = await fetchDays(run, group, days, part);
        isOver = !succeeded || part.empty;
        if (succeeded) {
          const gaps = days.filter((session) => !names.some((name) => part.has(name, session)));
          for (const session of gaps) knownGaps.set(keyOf(group, session), target.session);
        } else {
          const series = group.inputs.join(', ').replaceAll('_', ' ');
          run.note(
            'missing input',
            `The history of ${series} up to ${days[0]} is incomplete. Each later run fetches some more days.`,
          );
        }
        return part;
      },
    }));
  });
}

/**
 * Fetches days, newest first, each once per run except those in `again`. Requests them in ranges, by which a provider tells
 * a block from days without data. Returns false if a request failed.
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
    wanted = wanted.filter((session) => !series.some((name) => fetched.has(name, session)));
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
