import type { SeriesName } from '#domain/market-history.ts';
import type { Provider } from '../providers/provider.ts';
import { isReadjusted } from './bar-checks.ts';
import { groupBy } from './fetched.ts';
import { LIVE_LIMITS } from './limits.ts';
import { type PlannedGroup, seriesOf } from './plan.ts';
import type { Run, SeriesValue } from './run.ts';
import { correctedSessions, rangeUpTo, recentSessions } from './target.ts';

/**
 * Fetches the recent sessions of a group of series: from the first provider, then from the others what the newest
 * session still lacks.
 */
export async function fetchRecentSeries(run: Run, group: PlannedGroup): Promise<void> {
  const { target } = run;
  const from = recentSessions(target)[0] ?? target.session;
  for (const [rank, provider] of group.providers.entries()) {
    const names = seriesOf(provider, group.inputs)
      .filter((name) => group.mode === 'newest' || run.hasRecentValues(name))
      .filter((name) => rank === 0 || !run.hasValue(name, run.lastSession(provider, name)));
    for (const [to, series] of groupBy(names, (name) => run.lastSession(provider, name))) {
      const values = (await run.fetchSeries(provider, series, { from, to })) ?? [];
      if (rank === 0) await addFirstChoice(run, group, provider, values);
      else
        add(
          run,
          provider,
          values.filter(({ series, session }) => !run.hasValue(series, session)),
        );
    }
  }
}

function add({ fetched }: Run, { name }: Provider, values: readonly SeriesValue[]): void {
  for (const { series, session, value } of values) fetched.addValue(series, session, value, name);
}

/** Adds the first provider's values, which also correct the newest stored sessions, or a readjusted full history. */
async function addFirstChoice(
  run: Run,
  { adjusted }: PlannedGroup,
  provider: Provider,
  values: readonly SeriesValue[],
): Promise<void> {
  const { stored } = run;
  const corrected = correctedSessions(run.target);
  for (const [name, its] of groupBy(values, ({ series }) => series)) {
    const overlap = its.flatMap(({ session, value }) =>
      stored.hasValue(name, session)
        ? [{ session, stored: stored.value(name, session), fetched: value }]
        : [],
    );
    if (adjusted && isReadjusted(overlap)) await refetchHistory(run, provider, name);
    else {
      const isTaken = (session: string) => corrected.has(session) || !stored.hasValue(name, session);
      add(
        run,
        provider,
        its.filter(({ session }) => isTaken(session)),
      );
    }
  }
}

async function refetchHistory(run: Run, provider: Provider, name: SeriesName): Promise<void> {
  const range = rangeUpTo(run.lastSession(provider, name), LIVE_LIMITS.seriesSessions);
  const values = (await run.fetchSeries(provider, [name], range)) ?? [];
  const label = name.replaceAll('_', ' ');
  const result = values.length === 0 ? 'this run leaves it out' : 'its full history was fetched again';
  run.note('readjusted', `${provider.label} has readjusted the history of ${label}; ${result}.`);
  add(run, provider, values);
}
