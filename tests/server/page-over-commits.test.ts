import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { readFirst, type SendRead } from '#queries/read-rows.ts';
import { createSnapshotReads, type SnapshotReads } from '#server/page/snapshot-reads.ts';
import { readTables } from '#server/rest/tables.ts';
import { askServer } from '#tests/support/ask.ts';
import { type EmbeddedForTest, embeddedForTest, MIGRATIONS } from '#tests/support/embedded.ts';
import { type Gate, serveGate } from '#tests/support/gate-server.ts';
import { hasPostgres, type Postgres, startPostgres } from '#tests/support/postgres.ts';

/** One run: two tables that say the same. */
const RUN = (value: number) => `
  insert into public.market_metrics (market_exposure) values (${value});
  insert into public.market_breadth (advancing_stocks, declining_stocks) values (${value}, 1)`;

const publish = (database: Database, value: number) =>
  database.transaction((transaction) => transaction.script(RUN(value)));

/** What a visitor gets: the numbers of both tables in the page's data; null from a page without data. */
async function shown(gate: Gate): Promise<number[] | null> {
  const { status, body } = await askServer(gate.url, '/');
  expect(status).toBe(200);
  const json = /<script type="application\/json" id="barometer-data">(.*?)<\/script>/s.exec(
    body.toString(),
  )?.[1];
  if (json === undefined) return null;
  const { metrics, advanced } = JSON.parse(json).view;
  const advancing = advanced.breadth.parts.find(({ key }: { key: string }) => key === 'advancing');
  return [metrics.cards[0].value, advancing.count.value];
}

describe('over the embedded database', () => {
  let embedded: EmbeddedForTest;
  let gate: Gate;
  beforeAll(async () => {
    embedded = await embeddedForTest();
    // However busy the machine is, nobody's patience ends here.
    gate = await serveGate(embedded.database, { pagePatienceMs: 300_000 });
  });
  afterAll(async () => {
    await gate?.close();
    await embedded?.remove();
  });

  it('the page after a commit is of that commit, for all who come', async () => {
    for (let value = 1; value <= 3; value += 1) {
      await publish(embedded.database, value);
      const all = await Promise.all(Array.from({ length: 20 }, () => shown(gate)));
      expect(all).toEqual(all.map(() => [value, value]));
    }
  });
});

describe.skipIf(!hasPostgres())('over a real Postgres', () => {
  let server: Postgres;
  let database: Database;
  let inSnapshot: SnapshotReads;
  let gate: Gate;
  beforeAll(async () => {
    server = await startPostgres();
    database = await openPostgres({ url: server.url, migrationsFolder: MIGRATIONS });
    inSnapshot = createSnapshotReads(database, await readTables(database));
    gate = await serveGate(database);
  });
  afterAll(async () => {
    await gate?.close();
    await database?.close();
    await server?.stop();
  });

  const newest = (send: SendRead, table: string, column: string): Promise<unknown> => {
    const parse = (value: unknown) => (value as Record<string, unknown>)[column];
    const order = ['created_at.desc'];
    return readFirst<unknown>(send, { table, columns: column, order, limit: 1 }, parse);
  };
  const exposure = (send: SendRead) => newest(send, 'market_metrics', 'market_exposure');
  const advancing = (send: SendRead) => newest(send, 'market_breadth', 'advancing_stocks');

  it('what a page is made of is one run, also where the next commits between its reads', async () => {
    await publish(database, 1);
    const read = inSnapshot(async (send) => {
      const first = await exposure(send);
      await publish(database, 2);
      return [first, await advancing(send)];
    });
    expect(await read).toEqual([1, 1]);
    expect(await inSnapshot(async (send) => [await exposure(send), await advancing(send)])).toEqual([2, 2]);
  });

  it('it cannot read a subscriber', async () => {
    const reading = inSnapshot((send) => newest(send, 'email_subscribers', 'email'));
    await expect(reading).rejects.toMatchObject({ cause: { code: '42501' } });
  });

  it('a commit of another process is on the page', async () => {
    await server.run(RUN(3));
    await expect.poll(() => shown(gate)).toEqual([3, 3]);
  });

  it('while reads stall visitors get the last page, and the newest once they do not', async () => {
    await database.transaction(async (transaction) => {
      await transaction.query('lock table public.market_breadth in access exclusive mode');
      // Committed by another session, so that the page there is is no longer current.
      await server.run("insert into public.market_indices (symbol, name) values ('SPX', 'S&P 500')");
      expect(await shown(gate)).toEqual([3, 3]);
      expect(await Promise.all(Array.from({ length: 20 }, () => shown(gate)))).toEqual(
        Array.from({ length: 20 }, () => [3, 3]),
      );
      await transaction.script(RUN(4));
    });
    await expect.poll(() => shown(gate)).toEqual([4, 4]);
  });

  it('without the database visitors get the last page, and it all comes back by itself', async () => {
    await server.restart(async () => {
      for (let visit = 0; visit < 3; visit += 1) expect(await shown(gate)).toEqual([4, 4]);
    });
    await server.run(RUN(5));
    await expect.poll(() => shown(gate)).toEqual([5, 5]);
  });
});
