import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openPostgres } from '#database/postgres.ts';
import { expireOld } from '#mailer/deliver/deliveries.ts';
import { dropUnconfirmed } from '#mailer/subscribers/subscription.ts';
import { addSubscribers, issueWeek } from '#tests/support/deliveries.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { shared } from '#tests/support/shared.ts';

const DAY = 86_400_000;
const server = shared(startPostgres);
const database = shared(() => openPostgres({ url: server.url, migrationsFolder: MIGRATIONS }));
let other: pg.Client;

beforeAll(async () => {
  other = new pg.Client(server.url);
  await other.connect();
});
afterAll(() => other?.end());
beforeEach(async () => {
  await server.run('delete from public.email_subscribers');
  await addSubscribers(database, ['one@example.com', 'two@example.com']);
});

/** Runs `work` while another transaction locks one subscriber's row of a table, then without. Returns both results. */
async function withLockedRow(table: string, work: () => Promise<number>): Promise<number[]> {
  const column = table === 'mailer.deliveries' ? 'subscriber_id' : 'id';
  await other.query('begin');
  await other.query(
    `select from ${table} where ${column} in (select min(id) from public.email_subscribers) for update`,
  );
  const during = await work();
  await other.query('rollback');
  return [during, await work()];
}

it('ends unconfirmed subscriptions without waiting for a locked row', async () => {
  await server.run('update public.email_subscribers set confirmed_at = null');
  expect(
    await withLockedRow('public.email_subscribers', () => dropUnconfirmed(database, Date.now() + 8 * DAY)),
  ).toEqual([1, 1]);
});

it('expires old deliveries without waiting for a locked row', async () => {
  const at = await issueWeek(database);
  expect(await withLockedRow('mailer.deliveries', () => expireOld(database, 'mail', at + 2 * DAY))).toEqual([
    1, 1,
  ]);
});
