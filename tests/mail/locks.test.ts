import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { expireOld } from '#mailer/deliver/claims.ts';
import { dropUnconfirmed } from '#mailer/subscribers/subscription.ts';
import { addSubscribers, issueWeek } from '#tests/support/deliveries.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { hasPostgres, type Postgres, startPostgres } from '#tests/support/postgres.ts';

const DAY = 86_400_000;
let server: Postgres | undefined;
let database: Database;
let other: pg.Client;

beforeAll(async () => {
  if (!hasPostgres()) return;
  server = await startPostgres();
  database = await openPostgres({ url: server.url, migrationsFolder: MIGRATIONS });
  other = new pg.Client(server.url);
  await other.connect();
});
afterAll(async () => {
  await other?.end();
  await database?.close();
  await server?.stop();
});
beforeEach(async (context) => {
  if (server === undefined) return context.skip('Postgres is not installed on this machine');
  await server.run('delete from public.email_subscribers');
  await addSubscribers(database, ['one@example.com', 'two@example.com']);
});

/** What `work` answers while somebody else is at the one subscriber's row of a table, and once that is over. */
async function beside(table: string, work: () => Promise<number>): Promise<number[]> {
  const ofOne = table === 'mailer.deliveries' ? 'subscriber_id' : 'id';
  await other.query('begin');
  await other.query(
    `select from ${table} where ${ofOne} in (select min(id) from public.email_subscribers) for update`,
  );
  const during = await work();
  await other.query('rollback');
  return [during, await work()];
}

it('ends what was never confirmed without waiting for who is at a row', async () => {
  await server?.run('update public.email_subscribers set confirmed_at = null');
  expect(
    await beside('public.email_subscribers', () => dropUnconfirmed(database, Date.now() + 8 * DAY)),
  ).toEqual([1, 1]);
});

it('gives up what is too old without waiting for who is at a row', async () => {
  const at = await issueWeek(database);
  expect(await beside('mailer.deliveries', () => expireOld(database, at + 2 * DAY))).toEqual([1, 1]);
});
