import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { askServer } from '#tests/support/ask.ts';
import { type EmbeddedForTest, embeddedForTest, MIGRATIONS } from '#tests/support/embedded.ts';
import { type Gate, KEY, PATIENT, serveGate } from '#tests/support/gate-server.ts';
import { hasPostgres, type Postgres, startPostgres } from '#tests/support/postgres.ts';

const NEWEST = '/rest/v1/market_metrics?select=market_exposure&order=id.desc&limit=1';

/** What a visitor is told: the status, the age in seconds and the rows. */
async function read(gate: Gate, path = NEWEST) {
  const { status, headers, body } = await askServer(gate.url, path, { headers: { apikey: KEY } });
  const age = headers.age === undefined ? null : Number(headers.age);
  return { status, age, rows: JSON.parse(body.toString()), retryAfter: headers['retry-after'] };
}

const put = (database: Database, exposure: number) =>
  database.transaction((transaction) =>
    transaction.query('insert into public.market_metrics (market_exposure) values ($1)', [exposure]),
  );
const current = (exposure: number) => ({ status: 200, age: null, rows: [{ market_exposure: exposure }] });

describe('over the embedded database', () => {
  let embedded: EmbeddedForTest;
  let gate: Gate;
  let transactions = 0;

  beforeAll(async () => {
    embedded = await embeddedForTest();
    const { database } = embedded;
    const counted: Database = {
      ...database,
      transaction: (work, options) => {
        if (options?.role === 'anon' && options.snapshot !== true) transactions += 1;
        return database.transaction(work, options);
      },
    };
    gate = await serveGate(counted, PATIENT);
  });
  afterAll(async () => {
    await gate?.close();
    await embedded?.remove();
  });

  it('a read after a commit is never of before it, and those between two commits cost one statement', async () => {
    const ROUNDS = 20;
    for (let exposure = 1; exposure <= ROUNDS; exposure += 1) {
      await put(embedded.database, exposure);
      for (const answer of await Promise.all(Array.from({ length: 10 }, () => read(gate)))) {
        expect(answer).toMatchObject(current(exposure));
      }
    }
    expect(transactions).toBe(ROUNDS);
  });
});

describe.skipIf(!hasPostgres())('over a real Postgres', () => {
  let server: Postgres;
  let database: Database;
  let gate: Gate;

  beforeAll(async () => {
    server = await startPostgres();
    database = await openPostgres({ url: server.url, migrationsFolder: MIGRATIONS });
    gate = await serveGate(database);
  });
  afterAll(async () => {
    await gate?.close();
    await database?.close();
    await server?.stop();
  });

  it('a commit of another process is seen', async () => {
    await put(database, 1);
    await expect.poll(() => read(gate)).toMatchObject(current(1));
    await server.run('insert into public.market_metrics (market_exposure) values (2)');
    await expect.poll(() => read(gate)).toMatchObject(current(2));
  });

  it('while reads stall, what is there is served with its age, and the newest once they do not', async () => {
    await expect.poll(() => read(gate)).toMatchObject(current(2));
    await database.transaction(async (transaction) => {
      await transaction.query('lock table public.market_metrics in access exclusive mode');
      // Committed by another session, so that what is there is no longer current.
      await server.run("insert into public.market_indices (symbol, name) values ('SPX', 'S&P 500')");
      await expect.poll(async () => (await read(gate)).age).toEqual(expect.any(Number));
      expect(await read(gate)).toMatchObject({ status: 200, rows: [{ market_exposure: 2 }] });
      await transaction.query('insert into public.market_metrics (market_exposure) values (3)');
    });
    await expect.poll(() => read(gate)).toMatchObject(current(3));
  });

  it('without the database what is there is served, the rest is refused for some seconds, and all comes back by itself', async () => {
    await expect.poll(() => read(gate)).toMatchObject(current(3));
    await server.restart(async () => {
      await expect.poll(async () => (await read(gate)).age).toEqual(expect.any(Number));
      expect(await read(gate)).toMatchObject({ status: 200, rows: [{ market_exposure: 3 }] });
      const other = await read(gate, `${NEWEST}&offset=0`);
      expect([other.status, other.rows.code, other.retryAfter]).toEqual([503, 'PGRST000', '5']);
    });
    await server.run('insert into public.market_metrics (market_exposure) values (4)');
    await expect.poll(() => read(gate)).toMatchObject(current(4));
  });
});
