import { describe, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { requestOf } from '#queries/read-addresses.ts';
import type { SendRead } from '#queries/read-rows.ts';
import { dashboardReads, type TableRead } from '#queries/table-reads.ts';
import { createSnapshotReads } from '#server/rest/read.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { type Gate, KEY, LONG_WAIT, serveGate } from '#tests/support/gate-server.ts';
import { sendRequest } from '#tests/support/send-request.ts';
import { shared } from '#tests/support/shared.ts';
import { marketClockAt } from '#views/market-hours-view.ts';

/** Scores are a run number modulo this number, because they are at most 100. */
const MODULUS = 97;

/** Inserts a run. The page, the image and two reads show its number. Scores are the number modulo `MODULUS`. */
const RUN = (run: number) => {
  // Two runs may start in the same microsecond.
  const at = `now() + interval '${run} microseconds'`;
  return `
    insert into public.market_metrics (market_exposure, created_at) values (${run % MODULUS}, ${at});
    insert into public.market_breadth (advancing_stocks, declining_stocks, created_at) values (${run}, 1, ${at});
    insert into public.fear_greed_index (index_value, index_label, created_at)
      values (${run % MODULUS}, 'Neutral', ${at})`;
};

const publish = (database: Database, value: number) =>
  database.transaction((transaction) => transaction.script(RUN(value)));

/** A draw worker that returns the text of a card instead of an image. */
const DRAW_AS_TEXT = new URL(
  `data:text/javascript,${encodeURIComponent(
    `import { parentPort } from 'node:worker_threads';
     parentPort.on('message', ({ node }) => parentPort.postMessage(Buffer.from(JSON.stringify(node))));`,
  )}`,
);

const { newest } = dashboardReads(marketClockAt(Date.now()));
const pathOf = (read: TableRead) => `/rest/v1/${read.table}?${requestOf(read).query}`;

async function read(gate: Gate, path: string) {
  const { status, headers, body } = await sendRequest(gate.url, path, { headers: { apikey: KEY } });
  const rows: readonly Record<string, unknown>[] = JSON.parse(body.toString());
  return { status, age: headers.age === undefined ? null : Number(headers.age), rows };
}

const exposureRead = async (gate: Gate) => {
  const { status, age, rows } = await read(gate, pathOf(newest.metrics));
  return { status, age, run: Number(rows[0]?.market_exposure) };
};
const advancingRead = async (gate: Gate) =>
  (await read(gate, pathOf(newest.breadth))).rows[0]?.advancing_stocks;

/** The run in two tables of the page's data; null for a page without data. */
async function shown(gate: Gate): Promise<number[] | null> {
  const { status, body } = await sendRequest(gate.url, '/');
  expect(status).toBe(200);
  const json = /<script type="application\/json" id="barometer-data">(.*?)<\/script>/s.exec(
    body.toString(),
  )?.[1];
  if (json === undefined) return null;
  const { metrics, advanced } = JSON.parse(json).view;
  const advancing = advanced.breadth.parts.find(({ key }: { key: string }) => key === 'advancing');
  return [metrics.cards[0].value, advancing.count.value];
}

/** The run that the image shows, modulo `MODULUS`. */
async function drawn(gate: Gate): Promise<number> {
  const { status, body } = await sendRequest(gate.url, '/og.png');
  expect(status).toBe(200);
  return Number(/"className":"value","text":"([\d.]+)"/.exec(body.toString())?.[1]);
}

/** Finds the first run from `run` on with the given score. */
const since = (run: number, score: number) => run + ((score - (run % MODULUS) + MODULUS) % MODULUS);

const current = (run: number) => ({ status: 200, age: null, run });

describe('releases', () => {
  const { database } = databaseOfTheseTests();
  let reads = 0;
  const counted: Database = {
    ...database,
    transaction: (work, options) => {
      if (options?.role === 'anon' && options.snapshot !== true) reads += 1;
      return database.transaction(work, options);
    },
  };
  const gate = shared(() => serveGate(counted, { ...LONG_WAIT, drawWorkerUrl: DRAW_AS_TEXT }));

  it('page, image and reads show a commit together, without another query', async () => {
    for (let value = 1; value <= 3; value += 1) {
      await publish(database, value);
      await expect.poll(() => shown(gate)).toEqual([value, value]);
      const visits = Array.from({ length: 20 }, () =>
        Promise.all([shown(gate), exposureRead(gate), drawn(gate)]),
      );
      for (const visit of await Promise.all(visits))
        expect(visit).toEqual([[value, value], current(value), value]);
    }
    expect(reads).toBe(0);
  });

  it('no visitor gets a mix of two versions during commits', async () => {
    const VERSIONS = 5;
    const seen = new Set<number>();
    const isOver = () => seen.size >= VERSIONS;
    let committed = 3;
    /** Checks that the versions of consecutive responses never decrease. */
    const visit = async () => {
      while (!isOver()) {
        const [score, run = Number.NaN] = (await shown(gate)) ?? [];
        expect(score).toBe(run % MODULUS);
        const ofRead = Number(await advancingRead(gate));
        const ofImage = since(ofRead, await drawn(gate));
        const ofScore = since(ofImage, (await exposureRead(gate)).run);
        const versions = [run, ofRead, ofImage, ofScore, Number((await shown(gate))?.[1])];
        expect(versions).toEqual([...versions].sort((one, other) => one - other));
        seen.add(run);
      }
    };
    const commit = async () => {
      while (!isOver()) {
        await publish(database, committed + 1);
        committed += 1;
      }
    };
    await Promise.all([commit(), ...Array.from({ length: 4 }, visit)]);
    await expect.poll(() => shown(gate)).toEqual([committed % MODULUS, committed]);
    const score = committed % MODULUS;
    expect([await exposureRead(gate), await drawn(gate)]).toEqual([current(score), score]);
    expect(reads).toBe(0);
  });

  const first = async (send: SendRead, table: string, columns: string): Promise<unknown> => {
    const { data } = await send({ table, columns, order: ['created_at.desc'], limit: 1 });
    return (data as Record<string, unknown>[])[0]?.[columns];
  };
  const exposure = (send: SendRead) => first(send, 'market_metrics', 'market_exposure');
  const advancing = (send: SendRead) => first(send, 'market_breadth', 'advancing_stocks');

  it('a release is read from one run, even if another run commits meanwhile', async () => {
    const inSnapshot = createSnapshotReads(database);
    await publish(database, 1);
    const reading = inSnapshot(async (send) => {
      const before = await exposure(send);
      await publish(database, 2);
      return [before, await advancing(send)];
    });
    expect(await reading).toEqual([1, 1]);
    expect(await inSnapshot(async (send) => [await exposure(send), await advancing(send)])).toEqual([2, 2]);
  });

  it('a release cannot read a subscriber', async () => {
    const inSnapshot = createSnapshotReads(database);
    const reading = inSnapshot((send) => first(send, 'email_subscribers', 'email'));
    await expect(reading).rejects.toMatchObject({ cause: { code: '42501' } });
  });
});
