import { IS_FUTURE } from '#collector/database-clock.ts';
import { latenessOf, readNewestRows } from '#collector/freshness.ts';
import type { Database } from '#database/port.ts';
import { DELIVERY_STATUSES, readMailStatus, SUBSCRIBER_STATES } from '#mailer/mail-status.ts';
import { type Family, gauge } from './exposition.ts';

/** Reads the age of the market rows and the counts of the weekly mail at `now` (epoch ms), without personal data. */
export async function readDatabaseMetrics(database: Database, now: number): Promise<Family[]> {
  return [...(await readMarketMetrics(database, now)), ...(await readMailMetrics(database, now))];
}

async function readMarketMetrics(database: Database, now: number): Promise<Family[]> {
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

async function readMailMetrics(database: Database, now: number): Promise<Family[]> {
  const { subscribers, deliveries, isWithheld, lastIssuedAt } = await database.transaction(
    (transaction) => readMailStatus(transaction, now),
    { readOnly: true },
  );
  return [
    gauge(
      'barometer_subscribers',
      'Subscribers by state.',
      SUBSCRIBER_STATES.map((state) => [{ state: state.replaceAll(' ', '_') }, subscribers[state]]),
    ),
    gauge(
      'barometer_signal_last_issued_timestamp_seconds',
      'When a weekly signal was last issued; absent before the first.',
      [[{}, lastIssuedAt === null ? null : lastIssuedAt / 1000]],
    ),
    gauge('barometer_signal_withheld', 'Whether the newest week on record was withheld.', [
      [{}, isWithheld === true ? 1 : 0],
    ]),
    gauge(
      'barometer_deliveries',
      'Mails of the newest signal issued, by status.',
      DELIVERY_STATUSES.map((status) => [{ status }, deliveries[status]]),
    ),
  ];
}
