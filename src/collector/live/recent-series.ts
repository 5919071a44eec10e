import { lastSessions } from '#domain/calendar/last-sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import type { Provider } from '../providers/provider.ts';
import type { Given } from './given.ts';
import { groupBy } from './group-by.ts';
import type { HeldView } from './held-view.ts';
import { LIVE_LIMITS } from './limits.ts';
import { correctedSessions, joinsSeries, lastOf, recentSessions } from './need.ts';
import { type PlannedGroup, seriesGivenBy } from './plan.ts';
import { readDays } from './read-days.ts';
import { readSeries, type SeriesValue } from './read-series.ts';
import { isReadjusted } from './readjusted.ts';
import type { LiveRun } from './run.ts';

/**
 * Reads the recent sessions of one group of series: from the first choice, and from the next ones what is still
 * missing of the newest they have. Of a session under way only a provider that gives one within it is taken.
 */
export async function readRecentSeries(
  run: LiveRun,
  group: PlannedGroup,
  held: HeldView,
  given: Given,
): Promise<void> {
  const { target } = run;
  if (group.asking === 'day') return readRecentDays(run, group, held, given);
  const from = recentSessions(target)[0] ?? target.session;
  for (const [rank, provider] of group.providers.entries()) {
    const isThere = (name: SeriesName, session: string) =>
      given.hasValue(name, session) || !Number.isNaN(held.value(name, session));
    const names = seriesGivenBy(provider, group.inputs)
      .filter((name) => group.asking === 'newest' || joinsSeries(run, held, name))
      .filter((name) => rank === 0 || !isThere(name, lastOf(provider, name, run.target)));
    for (const [to, asked] of groupBy(names, (name) => lastOf(provider, name, run.target))) {
      const values = (await readSeries(run, provider, asked, { from, to })) ?? [];
      if (rank === 0) await takeFirstChoice(run, group, provider, held, given, values);
      else for (const each of values) if (!isThere(each.series, each.session)) add(given, each, provider);
    }
  }
}

async function readRecentDays(
  run: LiveRun,
  group: PlannedGroup,
  held: HeldView,
  given: Given,
): Promise<void> {
  const days = lastSessions(run.target.newestFinal, LIVE_LIMITS.correctedSessions).reverse();
  const series = group.providers.flatMap((provider) => seriesGivenBy(provider, group.inputs));
  const heldOf = (session: string) => series.filter((name) => !Number.isNaN(held.value(name, session)));
  const isOnRecord = (name: SeriesName, session: string) => run.request.isOnRecord?.(name, session) ?? true;
  const unclaimed = days.filter((session) => heldOf(session).some((name) => !isOnRecord(name, session)));
  const wanted = days.filter((session) => heldOf(session).length === 0 || unclaimed.includes(session));
  await readDays(run, group, wanted, given, new Set(unclaimed));
  // Those that are held may have been corrected since; after the close is soon enough to know.
  if (run.target.final && run.request.job === 'collect') await readDays(run, group, days, given);
}

function add(given: Given, { series, session, value }: SeriesValue, { name }: Provider): void {
  given.addValue(series, session, value, name);
}

/** The first choice corrects the newest sessions too; a series it has adjusted again comes whole. */
async function takeFirstChoice(
  run: LiveRun,
  { adjusted }: PlannedGroup,
  provider: Provider,
  held: HeldView,
  given: Given,
  values: readonly SeriesValue[],
): Promise<void> {
  const corrected = correctedSessions(run.target);
  for (const [name, its] of groupBy(values, ({ series }) => series)) {
    if (adjusted && isReadjusted(overlapOf(held, its))) {
      const to = lastOf(provider, name, run.target);
      const from = lastSessions(to, LIVE_LIMITS.seriesSessions)[0] ?? to;
      const whole = (await readSeries(run, provider, [name], { from, to })) ?? [];
      const label = name.replaceAll('_', ' ');
      run.request.problems.note(
        'readjusted',
        `${provider.label} has adjusted the past of ${label} again; it ${whole.length === 0 ? 'is left out of this run' : 'was read whole'}.`,
      );
      for (const each of whole) add(given, each, provider);
      continue;
    }
    for (const each of its) {
      if (corrected.has(each.session) || Number.isNaN(held.value(name, each.session))) {
        add(given, each, provider);
      }
    }
  }
}

function overlapOf(held: HeldView, values: readonly SeriesValue[]) {
  return values.flatMap(({ series, session, value }) => {
    const before = held.value(series, session);
    return Number.isNaN(before) ? [] : [{ session, held: before, given: value }];
  });
}
