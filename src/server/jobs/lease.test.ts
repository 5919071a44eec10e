import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { type EmbeddedForTest, embeddedForTest, MIGRATIONS, WORKER_URL } from '#tests/support/embedded.ts';
import { hasPostgres, startPostgres } from '#tests/support/postgres.ts';
import { claimPeriod, finishPeriod, type JobPeriod, readJobState } from './job-runs.ts';
import { isLeaseHeld, type Lease, LeaseHeld, LeaseLost, withLease } from './lease.ts';

/** A timer that ticks when the test says so. */
function handTimer() {
  let tick = () => {};
  const every = (_ms: number, then: () => void) => {
    tick = then;
    return () => {
      tick = () => {};
    };
  };
  return { every, tick: () => tick() };
}

/** Holds the lease until told to let go. */
function hold(database: Database, holder: string, every = handTimer().every) {
  let letGo = () => {};
  let taken: (lease: Lease) => void = () => {};
  const lease = new Promise<Lease>((resolve) => {
    taken = resolve;
  });
  const ended = withLease(database, { name: 'collector', holder, every }, async (held) => {
    taken(held);
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
  });
  ended.catch(() => undefined);
  return { lease, ended, letGo: () => letGo() };
}

const heldUntil = async (database: Database): Promise<number> => {
  const [row] = await database.transaction((transaction) =>
    transaction.query<{ until: number }>(
      'select extract(epoch from held_until)::double precision as until from operations.leases',
    ),
  );
  return row?.until ?? Number.NaN;
};

/** As if the holder had been killed before the lease ended. */
const runOut = (database: Database) =>
  database.transaction((transaction) =>
    transaction.query("update operations.leases set held_until = now() - interval '1 second'"),
  );

describe.runIf(hasPostgres())('a lease among processes on one Postgres', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let one: Database;
  let other: Database;

  beforeAll(async () => {
    server = await startPostgres();
    one = await openPostgres({ url: server.url, migrationsFolder: MIGRATIONS });
    other = await openPostgres({ url: server.url });
  });
  afterEach(() => server.run('delete from operations.leases; delete from operations.job_runs'));
  afterAll(async () => {
    await Promise.all([one.close(), other.close()]);
    await server.stop();
  });

  it('is had by one of them, who is named to the other, and then by the next', async () => {
    const held = hold(one, 'serve on host, process 1');
    await held.lease;
    const refused = withLease(other, { name: 'collector', holder: 'two' }, async () => undefined);
    await expect(refused).rejects.toThrow(LeaseHeld);
    await expect(refused).rejects.toThrow(
      /^The collector is at work already: serve on host, process 1, since \d{4}-\d\d-\d\dT.*Z\. Wait /,
    );
    expect(await isLeaseHeld(other, 'collector')).toBe(true);
    held.letGo();
    await held.ended;
    expect(await isLeaseHeld(other, 'collector')).toBe(false);
    expect(await withLease(other, { name: 'collector', holder: 'two' }, async () => 'done')).toBe('done');
  });

  it('is had by exactly one of many that ask at once', async () => {
    const asked = Array.from({ length: 8 }, (_, at) => hold(at % 2 ? one : other, `process ${at}`));
    const ended = asked.map(({ ended }) =>
      ended.then(
        () => 'held',
        () => 'refused',
      ),
    );
    await Promise.all(asked.map(({ lease, ended }) => Promise.race([lease, ended.catch(() => null)])));
    for (const { letGo } of asked) letGo();
    const outcomes = await Promise.all(ended);
    expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(1);
  });

  it('is renewed while the work goes on', async () => {
    const timer = handTimer();
    const held = hold(one, 'one', timer.every);
    await held.lease;
    await runOut(one);
    const before = await heldUntil(one);
    timer.tick();
    await expect.poll(() => heldUntil(one)).toBeGreaterThan(before + 15);
    held.letGo();
    await held.ended;
    expect(await heldUntil(one)).toBeNaN();
  });

  it('ends 20 seconds after it was renewed', async () => {
    const held = hold(one, 'one');
    await held.lease;
    const rows = await one.transaction((transaction) =>
      transaction.query(
        "select held_until <= clock_timestamp() + interval '20 seconds' as soon from operations.leases",
      ),
    );
    expect(rows).toEqual([{ soon: true }]);
    held.letGo();
    await held.ended;
  });

  it('of a killed holder runs out, and the one that comes back to it may write no more', async () => {
    const timer = handTimer();
    const killed = hold(one, 'one', timer.every);
    const lease = await killed.lease;
    await one.transaction((transaction) => lease.stillMine(transaction));
    await runOut(one);
    const next = hold(other, 'two');
    await next.lease;
    await expect(one.transaction((transaction) => lease.stillMine(transaction))).rejects.toThrow(LeaseLost);
    timer.tick();
    await expect.poll(() => lease.signal.aborted).toBe(true);
    expect(lease.signal.reason).toBeInstanceOf(LeaseLost);
    killed.letGo();
    await killed.ended;
    // What the one gives back is not the other's.
    await other.transaction(async (transaction) => (await next.lease).stillMine(transaction));
    next.letGo();
    await next.ended;
  });

  it('cannot be taken while its holder writes, however long ago it ran out', async () => {
    const slow = hold(one, 'one');
    const lease = await slow.lease;
    await runOut(one);
    const order: string[] = [];
    let next: ReturnType<typeof hold> | undefined;
    await one.transaction(async (transaction) => {
      await lease.stillMine(transaction);
      next = hold(other, 'two');
      next.lease.then(() => order.push('taken'));
      const waits = () =>
        other.transaction((watcher) =>
          watcher.query(
            "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into operations.leases%'",
          ),
        );
      await expect.poll(async () => (await waits()).length).toBe(1);
      order.push('written');
    });
    await next?.lease;
    expect(order).toEqual(['written', 'taken']);
    for (const each of [slow, next]) each?.letGo();
    await Promise.all([slow.ended, next?.ended]);
  });

  it('lets a period be claimed until it is done', async () => {
    const period: JobPeriod = { job: 'collect', period: Date.parse('2026-11-20T15:00:00Z') };
    const now = period.period + 1;
    const later = { ...period, period: period.period + 3_600_000 };
    const untried = { done: null, failedAt: null, attempts: 0, triedAt: null };
    expect(await readJobState(one, period)).toEqual(untried);
    expect(await claimPeriod(one, period, { holder: 'killed', now })).toBe(true);
    expect(await claimPeriod(other, period, { holder: 'two', now })).toBe(true);
    await finishPeriod(one, period, { holder: 'killed', now, error: null });
    expect((await readJobState(one, period)).done).toBeNull();
    await finishPeriod(other, period, { holder: 'two', now, error: 'The source is away.' });
    expect(await readJobState(one, period)).toEqual({ done: null, failedAt: now, attempts: 2, triedAt: now });
    expect(await claimPeriod(one, period, { holder: 'three', now })).toBe(true);
    await finishPeriod(one, period, { holder: 'three', now, error: null });
    expect(await claimPeriod(other, period, { holder: 'four', now })).toBe(false);
    expect(await readJobState(other, later)).toEqual({ ...untried, done: period.period });
    const earlier = { ...period, period: period.period - 1 };
    expect((await readJobState(other, earlier)).done).toBeNull();
  });
});

describe('a lease in an embedded database', () => {
  let embedded: EmbeddedForTest;
  beforeEach(async () => {
    embedded = await embeddedForTest();
  });
  afterEach(() => embedded.remove());

  it('is free at once after the process that had the database open was killed', async () => {
    const { database, folder } = embedded;
    const killed = hold(database, 'one');
    const { stillMine } = await killed.lease;
    expect(await isLeaseHeld(database, 'collector')).toBe(true);
    await database.close();

    const opened = await openEmbedded({ folder, workerUrl: WORKER_URL });
    try {
      expect(await isLeaseHeld(opened, 'collector')).toBe(false);
      await withLease(opened, { name: 'collector', holder: 'two' }, (lease) =>
        opened.transaction(lease.stillMine),
      );
      await expect(opened.transaction(stillMine)).rejects.toThrow(LeaseLost);
    } finally {
      killed.letGo();
      await killed.ended;
      await opened.close();
    }
  });

  it('is renewed once at a time, however long the database hangs', async () => {
    const { database } = embedded;
    let asked = 0;
    let answer = () => {};
    const hangs = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const hanging: Database = {
      ...database,
      async transaction(work, options) {
        asked += 1;
        if (asked > 1) await hangs;
        return database.transaction(work, options);
      },
    };
    const timer = handTimer();
    const held = hold(hanging, 'one', timer.every);
    await held.lease;
    for (let tick = 0; tick < 40; tick += 1) timer.tick();
    expect(asked).toBe(2);
    answer();
    held.letGo();
    await held.ended;
  });
});
