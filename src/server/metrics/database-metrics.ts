import { IS_FUTURE } from '#collector/instants.ts';
import { latenessOf, readNewestRows } from '#collector/runs/freshness.ts';
import { type Database, READ_ONLY } from '#database/port.ts';
import { DELIVERY_STATUSES, readMailStatus, SUBSCRIBER_STATES } from '#mailer/mail-status.ts';
import { readAnchorStates } from '#record/ledger/stored-anchors.ts';
import { type Family, gauge } from './exposition.ts';

/** Reads the age of the rows and the counts of the weekly mail at `now` (epoch ms), without personal data. */
export async function readDatabaseMetrics(
  database: Database,
  now: number,
  delay?: number,
): Promise<Family[]> {
  const newest = await readNewestRows(database, now);
  const { inputs, succeeded, mail, anchors } = await database.transaction(async (transaction) => {
    const inputs = await transaction.query<{ input: string; provider: string | null; at: string | null }>(
      `select input, provider, observed_at as at from public.input_origins
         where created_at = (select max(created_at) from public.input_origins where not ${IS_FUTURE}) order by input`,
    );
    const [run] = await transaction.query<{ at: string | null }>(
      "select max(finished_at) as at from collector.runs where status = 'succeeded'",
    );
    const mail = await readMailStatus(transaction, now);
    return { inputs, succeeded: run?.at ?? null, mail, anchors: await readAnchorStates(transaction) };
  }, READ_ONLY);
  const secondsSince = (instant: number) => (now - instant) / 1000;
  const since = (at: string | null) => (at === null ? null : secondsSince(Date.parse(at)));
  const { subscribers, deliveries, isWithheld, lastIssuedAt } = mail;
  return [
    gauge(
      'barometer_session_age_seconds',
      'Seconds since the time of the newest rows.',
      newest && secondsSince(newest.at),
    ),
    gauge(
      'barometer_sessions_behind',
      'Closed sessions whose rows are overdue.',
      newest && latenessOf(newest, now, delay).sessionsBehind,
    ),
    gauge(
      'barometer_last_success_age_seconds',
      'Seconds since the last successful run of any process.',
      since(succeeded),
    ),
    gauge(
      'barometer_input_age_seconds',
      'Seconds since the time of the newest value of an input; absent if no provider has it.',
      inputs.map(({ input, provider, at }) => [{ input, provider: provider ?? '' }, since(at)]),
    ),
    gauge(
      'barometer_subscribers',
      'Subscribers by state.',
      SUBSCRIBER_STATES.map((state) => [{ state: state.replaceAll(' ', '_') }, subscribers[state]]),
    ),
    gauge(
      'barometer_signal_last_issued_timestamp_seconds',
      'Time at which the last weekly signal was issued; absent before the first.',
      lastIssuedAt && lastIssuedAt / 1000,
    ),
    gauge(
      'barometer_signal_withheld',
      '1 if the signal of the newest recorded week was withheld, else 0.',
      Number(isWithheld),
    ),
    gauge(
      'barometer_deliveries',
      'Deliveries of the newest issued signal by status.',
      DELIVERY_STATUSES.map((status) => [{ status }, deliveries[status]]),
    ),
    gauge(
      'barometer_anchor_age_seconds',
      'Seconds since a checkpoint of the ledger was last anchored, by kind; absent before the first.',
      anchors.map(({ kind, anchoredAt }) => [{ kind }, anchoredAt && secondsSince(anchoredAt)]),
    ),
  ];
}
