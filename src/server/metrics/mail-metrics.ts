import type { Database } from '#database/port.ts';
import { DELIVERY_STATUSES, readMailStatus, SUBSCRIBER_STATES } from '#mailer/mail-status.ts';
import type { Family } from './exposition.ts';

/** What the database says of the weekly mail at `now` (epoch ms): counts and times, nothing of anybody. */
export async function readMailMetrics(database: Database, now: number): Promise<Family[]> {
  const { subscribers, deliveries, isWithheld, lastIssuedAt } = await database.transaction(
    (transaction) => readMailStatus(transaction, now),
    { readOnly: true },
  );
  return [
    {
      name: 'barometer_subscribers',
      help: 'Subscribers by state.',
      type: 'gauge',
      samples: SUBSCRIBER_STATES.map((state) => ({
        labels: { state: state.replaceAll(' ', '_') },
        value: subscribers[state],
      })),
    },
    {
      name: 'barometer_signal_last_issued_timestamp_seconds',
      help: 'When a weekly signal was last issued; absent before the first.',
      type: 'gauge',
      samples: lastIssuedAt === null ? [] : [{ labels: {}, value: lastIssuedAt / 1000 }],
    },
    {
      name: 'barometer_signal_withheld',
      help: 'Whether the newest week on record was withheld.',
      type: 'gauge',
      samples: [{ labels: {}, value: isWithheld === true ? 1 : 0 }],
    },
    {
      name: 'barometer_deliveries',
      help: 'Mails of the newest signal issued, by status.',
      type: 'gauge',
      samples: DELIVERY_STATUSES.map((status) => ({ labels: { status }, value: deliveries[status] })),
    },
  ];
}
