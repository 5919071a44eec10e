import type { SeriesName } from '#domain/market-history.ts';
import type { Provider } from '../providers/provider.ts';
import { isReadjusted } from './bar-checks.ts';
import { groupBy, type SeriesValue } from './fetched.ts';
import { LIVE_LIMITS } from './limits.ts';
import { type PlannedGroup, seriesOf } from './plan.ts';
import type { Run } from './run.ts';
import { rangeUpTo } from './target.ts';

/**
 * Fetches the recent sessions of a group of series: from the first provider, then from the others what the newest
 * session still lacks.
 */
export async function fetchRecentSeries(run: Run, group: PlannedGroup): Promise<void> {
  for (const [rank, provider] of group.providers.entries()) {
    const names = seriesOf(provider, group.inputs)
      .filter((name) => group.mode === 'newest' || run.hasRecentValues(name))
      .filter((name) => rank === 0 || !run.hasValue(name, run.lastSession(provider, name)));
    for (const [to, series] of groupBy(names, (name) => run.lastSession(provider, name))) {
      const values = (await run.fetchSeries(provider, series, { from: run.firstRecent, to })) ?? [];
      if (rank === 0) await addFirstChoice(run, group, provider, values);
      else {
        const missing = values.filter((each) => !run.hasValue(each.series, each.session));
        run.fetched.addValues(missing, provider);
      }
    }
  }
}

/** Adds the first provider's values, which also correct the newest stored sessions, or a readjusted full history. */
async function addFirstChoice(
  run: Run,
  { adjusted }: PlannedGroup,
  provider: Provider,
  values: readonly SeriesValue[],
): Promise<void> {
  const { stored, fetched, corrected } = run;
  for (const [name, its] of groupBy(values, ({ series }) => series)) {
    const isStored = (session: string) => stored.hasValue(name, session);
    const overlap = its
      .filter(({ session }) => isStored(session))
      .map(({ session, value }) => ({ session, stored: stored.value(name, session), fetched: value }));
    if (adjusted && isReadjusted(overlap)) await refetchHistory(run, provider, name);
    else {
      const taken = its.filter(({ session }) => corrected.has(session) || !isStored(session));
      fetched.addValues(taken, provider);
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
