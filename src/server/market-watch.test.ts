import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Database, DatabaseError, type Listener, type Row, type Transaction } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { type EmbeddedForTest, embeddedForTest, MIGRATIONS } from '#tests/support/embedded.ts';
import { hasPostgres, type Postgres, startPostgres } from '#tests/support/postgres.ts';
import { createLog } from './log.ts';
import { type MarketWatch, watchMarket } from './market-watch.ts';

/** A log in memory, each line without its time. */
function memoryLog() {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line.slice('00:00:00 '.length).trimEnd());
  return { lines, log: createLog({ write, clock: () => 0, format: 'plain' }) };
}

/** A timer for a watch. `tick` simulates one second. */
function manualTimer() {
  const ticks = new Set<() => void>();
  return {
    ticks,
    every: (_: number, tick: () => void) => {
      ticks.add(tick);
      return () => ticks.delete(tick);
    },
    tick: () => {
      for (const tick of ticks) tick();
    },
  };
}

/** Resolves after all pending promises. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A database in which the test sets the data version and sends the notifications. */
function scripted(over: Database['engine']) {
  let listener: Listener | undefined;
  let query: { respond(version: number): void; fail(error: Error): void } | undefined;
  const transaction: Database['transaction'] = (work) => {
    const run = <R extends Row>() =>
      new Promise<R[]>((resolve, reject) => {
        query = { respond: (version) => resolve([{ version } as unknown as R]), fail: reject };
      });
    return work({ query: run } as unknown as Transaction);
  };
  const listen: Database['listen'] = async (_, added) => {
    listener = added;
    return () => undefined;
  };
  const pendingQuery = () => {
    if (query === undefined) throw new Error('There is no pending query.');
    return query;
  };
  return {
    database: {
      transaction,
      ...(over === 'embedded' && { listen }),
      close: async () => undefined,
    } as Database,
    notify: () => {
      if (listener === undefined) throw new Error('There is no listener.');
      return listener;
    },
    respond: async (version: number) => {
      pendingQuery().respond(version);
      query = undefined;
      await settled();
    },
    fail: async (error: Error) => {
      pendingQuery().fail(error);
      query = undefined;
      await settled();
    },
    hasQuery: () => query !== undefined,
  };
}

/** The time of a watch's clock (epoch ms). The tests change it. */
let time = 0;

/** Creates a watch over a scripted database with the data version 5, and a counter of change events. */
async function watched(over: Database['engine']) {
  const script = scripted(over);
  const timer = manualTimer();
  const { log, lines } = memoryLog();
  const starting = watchMarket({ database: script.database, now: () => time, log, every: timer.every });
  await script.respond(5);
  const watch = await starting;
  const start = watch.version;
  let calls = 0;
  watch.onChange(() => {
    calls += 1;
  });
  return {
    ...script,
    ...{ watch, timer, lines, calls: () => calls },
    growth: () => watch.version - start,
    /** Makes the next check, to which the database responds immediately with this data version. */
    check: async (version: number) => {
      timer.tick();
      await script.respond(version);
    },
  };
}

describe('watching the data version over Postgres', () => {
  it('increases the version once for each new number', async () => {
    const { check, growth, calls } = await watched('postgres');
    await check(6);
    await check(6);
    await check(8);
    expect([growth(), calls()]).toEqual([2, 2]);
  });

  it('increases the version for a lower number, as after a restored backup', async () => {
    const { check, growth } = await watched('postgres');
    await check(5);
    expect(growth()).toBe(0);
    await check(3);
    expect(growth()).toBe(1);
    await check(3);
    expect(growth()).toBe(1);
  });

  it('stops watching at a failed check and resumes at a successful check', async () => {
    const { watch, timer, fail, check, growth, lines } = await watched('postgres');
    expect(watch.isWatching).toBe(true);
    for (const _ of [1, 2, 3]) {
      timer.tick();
      await fail(new DatabaseError({ message: 'about ann@example.com', code: '57P03' }));
      expect(watch.isWatching).toBe(false);
    }
    expect(growth()).toBe(0);
    await check(6);
    await check(6);
    expect([watch.isWatching, growth()]).toEqual([true, 1]);
    expect(lines).toEqual(['warn market watch lost code=57P03', 'market watch restored']);
  });

  it('stops watching when a check takes two seconds, until a check that takes less', async () => {
    const { watch, timer, respond, hasQuery, check, growth, lines } = await watched('postgres');
    timer.tick();
    timer.tick();
    expect(watch.isWatching).toBe(true);
    timer.tick();
    expect(watch.isWatching).toBe(false);
    timer.tick();
    await respond(6);
    expect([watch.isWatching, growth(), hasQuery()]).toEqual([false, 1, false]);
    await check(6);
    expect([watch.isWatching, growth()]).toEqual([true, 2]);
    expect(lines).toEqual([
      'warn market watch lost reason="The database does not respond."',
      'market watch restored',
    ]);
  });

  it('knows its version to be current at the start of the last successful check', async () => {
    time = 1_000;
    const { watch, timer, respond, fail, check } = await watched('postgres');
    time = 2_000;
    await check(5);
    expect(watch.knownAt).toBe(2_000);
    timer.tick();
    time = 4_000;
    expect(watch.knownAt).toBe(2_000);
    await respond(5);
    expect(watch.knownAt).toBe(2_000);
    time = 9_000;
    timer.tick();
    await fail(new Error('away'));
    expect(watch.knownAt).toBe(2_000);
  });

  it('increases the version after a late check even if the number is the same', async () => {
    const { timer, respond, check, growth } = await watched('postgres');
    for (const _ of [1, 2]) {
      for (const __ of [1, 2, 3]) timer.tick();
      await respond(5);
    }
    expect(growth()).toBe(0);
    await check(5);
    await check(5);
    expect(growth()).toBe(1);
  });

  it('starts while the database is unavailable', async () => {
    const { database, fail, respond } = scripted('postgres');
    const { every, tick } = manualTimer();
    const starting = watchMarket({ database, now: Date.now, every, log: memoryLog().log });
    await fail(new Error('away'));
    const watch = await starting;
    expect(watch.isWatching).toBe(false);
    const before = watch.version;
    tick();
    await respond(5);
    expect([watch.isWatching, watch.version - before]).toEqual([true, 1]);
  });

  it('calls no listener after its removal or after closing', async () => {
    const { watch, check, timer, respond, growth, calls, lines } = await watched('postgres');
    const stopped: number[] = [];
    watch.onChange(() => stopped.push(1))();
    await check(6);
    timer.tick();
    await watch.close();
    await respond(8);
    expect([growth(), calls(), stopped, timer.ticks.size, lines]).toEqual([1, 1, [], 0, []]);
    expect(watch.isWatching).toBe(false);
  });
});

describe('watching the data version after an outage of the database', () => {
  it('counts a known number as new, because commits may be lost', async () => {
    const { notify, respond, growth } = await watched('embedded');
    notify().lost();
    notify().regained();
    await respond(5);
    expect(growth()).toBe(1);
  });

  it('counts a known number as new after a failed check', async () => {
    const { timer, fail, check, growth } = await watched('postgres');
    timer.tick();
    await fail(new Error('away'));
    await check(5);
    await check(5);
    expect(growth()).toBe(1);
  });

  it('increases the version once for a notification and a check of the same number', async () => {
    const { notify, respond, growth } = await watched('embedded');
    notify().lost();
    notify().regained();
    notify().notified('5');
    await respond(5);
    expect(growth()).toBe(1);
  });
});

describe('watching the data version over the embedded database', () => {
  it('increases the version once for each notified number that is higher', async () => {
    const { notify, growth, calls } = await watched('embedded');
    notify().notified('7');
    notify().notified('6');
    notify().notified('7');
    expect(growth()).toBe(1);
    notify().notified('8');
    expect([growth(), calls()]).toEqual([2, 2]);
  });

  it('ignores a check that is older than a notification', async () => {
    const { notify, respond, growth } = await watched('embedded');
    notify().lost();
    notify().regained();
    notify().notified('6');
    await respond(5);
    expect(growth()).toBe(1);
  });

  it('knows its version to be current until its worker is lost', async () => {
    time = 1_000;
    const { watch, notify } = await watched('embedded');
    time = 8_000;
    expect(watch.knownAt).toBe(8_000);
    notify().lost();
    time = 9_000;
    expect(watch.knownAt).toBe(8_000);
  });

  it('increases the version before it resumes watching', async () => {
    const { watch, notify, respond, hasQuery, growth, timer, lines } = await watched('embedded');
    timer.tick();
    expect(hasQuery()).toBe(false);
    notify().lost();
    expect(watch.isWatching).toBe(false);
    notify().regained();
    expect([watch.isWatching, growth()]).toEqual([false, 0]);
    await respond(6);
    expect([watch.isWatching, growth()]).toEqual([true, 1]);
    notify().lost();
    notify().regained();
    await respond(6);
    expect([watch.isWatching, growth()]).toEqual([true, 2]);
    const stopped = 'warn market watch lost reason="The database restarts."';
    expect(lines).toEqual([stopped, 'market watch restored', stopped, 'market watch restored']);
  });

  it('checks each second after a failed check', async () => {
    const { watch, notify, fail, respond, hasQuery, growth, timer } = await watched('embedded');
    notify().lost();
    timer.tick();
    await fail(new Error('full'));
    expect([watch.isWatching, hasQuery()]).toEqual([false, false]);
    timer.tick();
    await respond(5);
    expect([watch.isWatching, growth()]).toEqual([true, 1]);
  });

  describe('watching the data version with a real database worker', () => {
    let embedded: EmbeddedForTest;
    let watch: MarketWatch;
    beforeAll(async () => {
      embedded = await embeddedForTest();
      watch = await watchMarket({ database: embedded.database, now: Date.now, log: memoryLog().log });
    });
    afterAll(async () => {
      await watch.close();
      await embedded.remove();
    });
    const run = (sql: string, options = {}) =>
      embedded.database.transaction((transaction) => transaction.query(sql), options);

    it('increases the version before a commit returns and only for a commit', async () => {
      const before = watch.version;
      expect(watch.isWatching).toBe(true);
      await run('insert into market_metrics (market_exposure) values (50)');
      expect(watch.version).toBe(before + 1);
      await expect(run('insert into market_metrics (market_exposure) values (500)')).rejects.toThrow();
      await run("insert into email_subscribers (email) values ('ann@example.com')", { role: 'anon' });
      expect(watch.version).toBe(before + 1);
    });

    it('does not watch between the loss of the worker and the start of the next worker', async () => {
      const before = watch.version;
      const slow = run('select count(*) from generate_series(1, 1000000000)', { statementTimeoutMs: 50 });
      const atFailure = await slow.catch(() => watch.isWatching);
      expect(atFailure).toBe(false);
      await expect.poll(() => watch.isWatching).toBe(true);
      // The restarted worker may have lost its last commits.
      expect(watch.version).toBe(before + 1);
      await run('delete from market_metrics');
      expect(watch.version).toBe(before + 2);
    });
  });
});

describe.runIf(hasPostgres())('a watch over a real Postgres', () => {
  let server: Postgres;
  let ours: Database;
  let theirs: Database;
  let watch: MarketWatch | undefined;
  beforeAll(async () => {
    server = await startPostgres();
    ours = await openPostgres({ url: server.url, migrationsFolder: MIGRATIONS });
    theirs = await openPostgres({ url: server.url });
  });
  afterEach(() => watch?.close());
  afterAll(async () => {
    await Promise.all([ours.close(), theirs.close()]);
    await server.stop();
  });
  const publish = () =>
    theirs.transaction((transaction) =>
      transaction.query(
        'insert into market_metrics (market_exposure, created_at) values (50, clock_timestamp())',
      ),
    );

  it('detects commits of another process', async () => {
    const { tick, every } = manualTimer();
    const { log, lines } = memoryLog();
    watch = await watchMarket({ database: ours, now: Date.now, log, every });
    const before = watch.version;
    await publish();
    expect([watch.isWatching, watch.version]).toEqual([true, before]);
    tick();
    await expect.poll(() => watch?.version).toBe(before + 1);
    await publish();
    tick();
    await expect.poll(() => watch?.version).toBe(before + 2);
    expect(lines).toEqual([]);
  });

  it('stops watching while the server is down and resumes after its restart', async () => {
    const { tick, every } = manualTimer();
    const { log, lines } = memoryLog();
    const opened = await watchMarket({ database: ours, now: Date.now, log, every });
    watch = opened;
    const before = opened.version;
    await server.restart(async () => {
      tick();
      await expect.poll(() => opened.isWatching).toBe(false);
    });
    tick();
    await expect.poll(() => opened.isWatching).toBe(true);
    // The restarted server may lack the last commits.
    expect(opened.version).toBe(before + 1);
    await publish();
    tick();
    await expect.poll(() => opened.version).toBe(before + 2);
    expect(lines).toEqual([expect.stringMatching(/^warn market watch lost /), 'market watch restored']);
  });
});
