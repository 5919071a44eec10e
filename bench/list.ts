import { resolve } from 'node:path';
import { type Database, queryOnce } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { claimDue, releaseClaims } from '#mailer/deliver/deliveries.ts';
import { issueWeek } from '#tests/support/deliveries.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { withEnds } from './ends.ts';
import type { Figure } from './figure.ts';
import { median } from './median.ts';

const SUBSCRIBERS = 1_000_000;
/** Number of timed claims. Each claims as many mails as one process has connections. */
const CLAIMS = 200;
const AT_ONCE = 5;
/** Number of visitors who subscribe, one after the other. */
const VISITORS = 1_000;

const MIGRATIONS = resolve('supabase', 'migrations');

/**
 * A list of a million subscribers over a real Postgres that syncs each commit: the time to issue a signal to all, the
 * size of its rows, and the speed of claims at the beginning and at the end. The needs of a list of ten million are
 * extrapolated from these.
 */
export function benchList(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    const postgres = await startPostgres({ isDurable: true });
    atEnd(postgres.stop);
    const database = await openPostgres({ url: postgres.url, migrationsFolder: MIGRATIONS });
    atEnd(() => database.close());
    return measure(database);
  });
}

async function measure(database: Database): Promise<Figure[]> {
  const run = (sql: string) => queryOnce(database, sql);
  const adding = await seconds(() =>
    run(`insert into public.email_subscribers (email)
         select 'reader-' || number || '@example.com' from generate_series(1, ${SUBSCRIBERS}) as number`),
  );
  const subscribed = await seconds(() => subscribeEach(database));
  let now = 0;
  const issued = await seconds(async () => {
    now = await issueWeek(database);
  });
  await run('analyze mailer.deliveries');
  const sizes = [
    await bytesOf(database, 'public.email_subscribers'),
    await bytesOf(database, 'mailer.deliveries'),
  ];
  const first = await claimTime(database, now);
  // Marks all deliveries as sent, except the last 20,000, which are claimed next.
  await run(`update mailer.deliveries set status = 'sent', attempts = 1, reply = '250', finished_at = now()
             where id < (select max(id) from mailer.deliveries) - 20000`);
  const last = await claimTime(database, now);
  const [subscriberBytes = Number.NaN, deliveryBytes = Number.NaN] = sizes;
  return [
    { what: 'subscribers', value: SUBSCRIBERS, unit: '' },
    { what: 'adding them all by the operator', value: adding, unit: 's' },
    { what: 'subscribing by visitors, one after the other', value: VISITORS / subscribed, unit: '/s' },
    { what: 'issuing to all of them', value: issued, unit: 's' },
    { what: 'a subscriber with its indexes', value: subscriberBytes, unit: 'bytes' },
    { what: 'a delivery with its indexes', value: deliveryBytes, unit: 'bytes' },
    { what: `claiming ${AT_ONCE} mails, of all`, value: first, unit: 'ms' },
    { what: `claiming ${AT_ONCE} mails, of the last 20,000`, value: last, unit: 'ms' },
  ];
}

/** Subscribes with the rights of the public key, each time from another network. */
async function subscribeEach(database: Database): Promise<void> {
  for (let at = 0; at < VISITORS; at += 1) {
    await database.transaction(
      async (transaction) => {
        await transaction.query("select set_config('barometer.client', $1, true)", [
          `10.0.${at >> 8}.${at & 255}`,
        ]);
        await transaction.query('insert into public.email_subscribers (email, is_active) values ($1, true)', [
          `visitor-${at}@example.com`,
        ]);
      },
      { role: 'anon', durable: true },
    );
  }
}

/** Bytes per row, including the table and its indexes. */
async function bytesOf(database: Database, table: string): Promise<number> {
  const [row] = await queryOnce<{ bytes: number }>(
    database,
    `select pg_total_relation_size($1::regclass)::double precision / (select count(*) from ${table}) as bytes`,
    [table],
  );
  return row?.bytes ?? Number.NaN;
}

/** Returns the median time of the claims (ms). */
async function claimTime(database: Database, now: number): Promise<number> {
  const times: number[] = [];
  for (let claim = 0; claim < CLAIMS; claim += 1) {
    const took = await seconds(() =>
      claimDue(database, { channel: 'mail', holder: 'bench', now, count: AT_ONCE }),
    );
    times.push(1_000 * took);
  }
  await releaseClaims(database, 'bench');
  return median(times);
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}
