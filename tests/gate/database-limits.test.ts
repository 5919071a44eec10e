import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '#database/postgres.ts';
import { embeddedForTest, MIGRATIONS } from '#tests/support/embedded.ts';
import { KEY, LONG_WAIT, serveGate } from '#tests/support/gate-server.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { shared } from '#tests/support/shared.ts';
import { asOwnerOf, insertAs } from '#tests/support/subscribing.ts';

const CLIENT = '203.0.113.1';
const insert = (url: string, name: string) =>
  insertAs(CLIENT, url, { email: `${name}@example.com`, is_active: true });
const read = (url: string) => fetch(`${url}/rest/v1/market_metrics?select=id`, { headers: { apikey: KEY } });

/** Status, Retry-After and code of a refused insert. */
const refusalOf = ({ status, headers, text }: Awaited<ReturnType<typeof insertAs>>) => [
  status,
  headers.get('retry-after'),
  JSON.parse(text).code,
];

describe('a transaction that psql holds', () => {
  const embedded = shared(embeddedForTest);
  let psql: Client;
  beforeAll(async () => {
    psql = new Client(embedded.url);
    await psql.connect();
  });
  afterAll(() => psql.end());

  it('delays no request for longer than the limit', async () => {
    const hurried = await serveGate(embedded.database, { waitMs: 200 });
    const patient = await serveGate(embedded.database, LONG_WAIT);
    await psql.query(
      'begin; lock table public.email_subscribers, public.market_metrics in access exclusive mode',
    );
    const refused = await Promise.all(['a', 'b', 'c', 'd'].map((name) => insert(hurried.url, name)));
    for (const response of refused) {
      expect([
        [503, '5', '57014'],
        [503, '5', 'PGRST003'],
      ]).toContainEqual(refusalOf(response));
    }
    expect(refusalOf(refused[0] as (typeof refused)[0])).toEqual([503, '5', '57014']);
    const response = await read(hurried.url);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    await psql.query('rollback');
    expect(await asOwnerOf(embedded.database).emails()).toEqual([]);
    expect((await insert(patient.url, 'a')).status).toBe(201);
    await Promise.all([hurried.close(), patient.close()]);
  });
});

it('refuses reads and inserts while Postgres is stopped, and accepts them afterwards', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const url = await server.createDatabase('stopped');
  const database = await openPostgres({ url, migrationsFolder: MIGRATIONS });
  onTestFinished(() => database.close());
  const gate = await serveGate(database);
  onTestFinished(() => gate.close());
  const page = (await fetch(gate.url)).status;
  await server.restart(async () => {
    expect(refusalOf(await insert(gate.url, 'a')).slice(0, 2)).toEqual([503, '5']);
    const response = await read(gate.url);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await fetch(gate.url)).status).toBe(page);
  });
  await expect.poll(async () => (await insert(gate.url, 'a')).status).toBe(201);
  expect((await read(gate.url)).status).toBe(200);
});
