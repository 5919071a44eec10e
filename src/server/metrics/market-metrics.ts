import { IS_FUTURE } from '#collector/database-clock.ts';
import { latenessOf, readNewestRows } from '#collector/freshness.ts';
import type { Database } from '#database/port.ts';
import type { Family, Labels } from './exposition.ts';

/** A gauge of what there is to tell: what is not known has no sample. */
function gauge(name: string, help: string, values: readonly (readonly [Labels, number | null])[]): Family {
  const samples = values.flatMap(([labels, value]) => (value === null ? [] : [{ labels, value }]));
  return { name, help, type: 'gauge', samples };
}

/** What the database says of the market's age at `now` (epoch ms). */
export async function readMarketMetrics(database: Database, now: number): Promise<Family[]> {
  const newest = await readNewestRows(database, now);
  const { inputs, succeeded } = await database.transaction(
    async (transaction) => {
      const inputs = await transaction.query<{ input: string; provider: string | null; at: string | null }>(
        `select input, provider, observed_at as at from public.input_origins
         where created_at = (select max(created_at) from public.input_origins where not ${IS_FUTURE}) order by input`,
      );
      const [run] = await transaction.query<{ at: string | null }>(
        "select max(finished_at) as at from collector.runs where status = 'succeeded'",
      );
      return { inputs, succeeded: run?.at ?? null };
    },
    { readOnly: true },
  );
  const secondsSince = (instant: number) => (now - instant) / 1000;
  const since = (at: string | null) => (at === null ? null : secondsSince(Date.parse(at)));
  return [
    gauge('barometer_session_age_seconds', 'Seconds since the newest row set stood.', [
      [{}, newest === null ? null : secondsSince(newest.at)],
    ]),
    gauge('barometer_sessions_behind', 'Closed sessions whose rows are overdue.', [
      [{}, newest === null ? null : latenessOf(newest, now).sessionsBehind],
    ]),
    gauge('barometer_last_success_age_seconds', 'Seconds since a run last succeeded, in any process.', [
      [{}, since(succeeded)],
    ]),
    gauge(
      'barometer_input_age_seconds',
      'Seconds since the newest value of an input stood; absent while nobody gives it.',
      inputs.map(({ input, provider, at }) => [{ input, provider: provider ?? '' }, since(at)]),
    ),
  ];
}
