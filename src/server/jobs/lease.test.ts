import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { type Database, queryOnce } from '#database/port.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { type EmbeddedFolder, embeddedFolderForTest } from '#tests/support/embedded.ts';
import { manualTimer } from '#tests/support/manual-timer.ts';
import { shared } from '#tests/support/shared.ts';
import { isLeaseHeld, type Lease, LeaseHeld, withLease } from './lease.ts';

const LOST = 'The collector stopped: another process took over.';

/** Holds the lease until the test calls `release`, or `end` to wait for the end too. */
function hold(database: Database, holder: string, every = manualTimer().every) {
  let release = () => {};
  let taken: (lease: Lease) => void = () => {};
  const lease = new Promise<Lease>((resolve) => {
    taken = resolve;
  });
  const ended = withLease(database, { holder, every }, async (held) => {
    taken(held);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  ended.catch(() => undefined);
  const end = () => {
    release();
    return ended;
  };
  return { lease, ended, release: () => release(), end };
}

describe('a lease among processes on one Postgres', () => {
  const { database: one, column, run, script, openAgain } = databaseOfTheseTests();
  const other = shared(openAgain);
  afterEach(() => script('delete from operations.leases'));

  const heldUntil = async () =>
    (await column<number>('select extract(epoch from held_until)::float8 from operations.leases'))[0] ??
    Number.NaN;
  /** Makes the lease expire, as if its holder had been killed. */
  const expire = () => run("update operations.leases set held_until = now() - interval '1 second'");

  it('is held by one process at a time, which the error names', async () => {
    const held = hold(one, 'serve on host, process 1');
    await held.lease;
    const refused = withLease(other, { holder: 'two' }, async () => undefined);
    await expect(refused).rejects.toThrow(LeaseHeld);
    await expect(refused).rejects.toThrow(
      /^The collector is already running: serve on host, process 1, since \d{4}-\d\d-\d\dT.*Z\. Wait /,
    );
    expect(await isLeaseHeld(other)).toBe(true);
    await held.end();
    expect(await isLeaseHeld(other)).toBe(false);
    expect(await withLease(other, { holder: 'two' }, async () => 'done')).toBe('done');
  });

  it('is taken by exactly one of eight concurrent requests', async () => {
    const asked = Array.from({ length: 8 }, (_, at) => hold(at % 2 ? one : other, `process ${at}`));
    const ended = asked.map(({ ended }) =>
      ended.then(
        () => 'held',
        () => 'refused',
      ),
    );
    await Promise.all(asked.map(({ lease, ended }) => Promise.race([lease, ended.catch(() => null)])));
    for (const { release } of asked) release();
    const outcomes = await Promise.all(ended);
    expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(1);
  });

  it('is renewed during the work', async () => {
    const timer = manualTimer();
    const held = hold(one, 'one', timer.every);
    await held.lease;
    await expire();
    const before = await heldUntil();
    timer.tick();
    await expect.poll(heldUntil).toBeGreaterThan(before + 15);
    await held.end();
    expect(await heldUntil()).toBeNaN();
  });

  it('expires 20 seconds after it was renewed', async () => {
    const held = hold(one, 'one');
    await held.lease;
    const isSoon = "select held_until <= clock_timestamp() + interval '20 seconds' from operations.leases";
    expect(await column(isSoon)).toEqual([true]);
    await held.end();
  });

  it('expires after a kill, and its former holder can no longer write', async () => {
    const timer = manualTimer();
    const killed = hold(one, 'one', timer.every);
    const lease = await killed.lease;
    await one.transaction(lease.checkHeld);
    await expire();
    const next = hold(other, 'two');
    await next.lease;
    await expect(one.transaction(lease.checkHeld)).rejects.toThrow(LOST);
    timer.tick();
    await expect.poll(() => lease.signal.aborted).toBe(true);
    expect(lease.signal.reason).toMatchObject({ message: LOST });
    await killed.end();
    // The first holder has ended, but must not release the lease that the second holder has taken.
    await other.transaction((await next.lease).checkHeld);
    await next.end();
  });

  it('cannot be taken during a write of its holder, even if it has expired', async () => {
    const slow = hold(one, 'one');
    const lease = await slow.lease;
    await expire();
    const order: string[] = [];
    let next: ReturnType<typeof hold> | undefined;
    await one.transaction(async (transaction) => {
      await lease.checkHeld(transaction);
      next = hold(other, 'two');
      next.lease.then(() => order.push('taken'));
      const waiting =
        "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into operations.leases%'";
      await expect.poll(() => queryOnce(other, waiting)).toHaveLength(1);
      order.push('written');
    });
    await next?.lease;
    expect(order).toEqual(['written', 'taken']);
    await Promise.all([slow.end(), next?.end()]);
  });
});

describe('a lease in an embedded database', () => {
  let embedded: EmbeddedFolder;
  beforeEach(async () => {
    embedded = await embeddedFolderForTest();
  });
  afterEach(() => embedded.remove());

  it('is free immediately after the process that had the database open was killed', async () => {
    const { database, folder } = embedded;
    const killed = hold(database, 'one');
    const { checkHeld } = await killed.lease;
    expect(await isLeaseHeld(database)).toBe(true);
    await database.close();

    const opened = await openEmbedded({ folder });
    try {
      expect(await isLeaseHeld(opened)).toBe(false);
      await withLease(opened, { holder: 'two' }, (lease) => opened.transaction(lease.checkHeld));
      await expect(opened.transaction(checkHeld)).rejects.toThrow(LOST);
    } finally {
      await killed.end();
      await opened.close();
    }
  });

  it('is free if its process was killed, although Postgres runs and another process uses it', async () => {
    const { database, folder } = embedded;
    const killed = hold(database, 'one');
    await killed.lease;
    const opened = await openEmbedded({ folder });
    try {
      expect(await isLeaseHeld(opened)).toBe(true);
      await database.close();
      expect(await isLeaseHeld(opened)).toBe(false);
    } finally {
      await killed.end();
      await opened.close();
    }
  });

  it('has one renewal at a time while the database does not respond', async () => {
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
    const timer = manualTimer();
    const held = hold(hanging, 'one', timer.every);
    await held.lease;
    for (let tick = 0; tick < 40; tick += 1) timer.tick();
    expect(asked).toBe(2);
    answer();
    await held.end();
  });
});
