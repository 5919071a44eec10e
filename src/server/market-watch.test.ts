import { describe, expect, it } from 'vitest';
import { DatabaseError } from '#database/port.ts';
import { manualTimer } from '#tests/support/manual-timer.ts';
import { stubDatabase } from '#tests/support/stub-database.ts';
import { createLog } from './log.ts';
import { watchMarket } from './market-watch.ts';

/** A log in memory, each line without its time. */
function memoryLog() {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line.slice('00:00:00 '.length).trimEnd());
  return { lines, log: createLog({ write, clock: () => 0, format: 'plain' }) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A database in which the test sets the data version. */
function scripted() {
  let query: { respond(version: number): void; fail(error: Error): void } | undefined;
  const database = stubDatabase(
    () =>
      new Promise((resolve, reject) => {
        query = { respond: (version) => resolve([{ version }]), fail: reject };
      }),
  );
  const pendingQuery = () => {
    if (query === undefined) throw new Error('There is no pending query.');
    return query;
  };
  return {
    database,
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
async function watched() {
  const script = scripted();
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

describe('watching the data version', () => {
  it('increases the version once for each new number', async () => {
    const { check, growth, calls } = await watched();
    await check(6);
    await check(6);
    await check(8);
    expect([growth(), calls()]).toEqual([2, 2]);
  });

  it('increases the version for a lower number, as after a restored backup', async () => {
    const { check, growth } = await watched();
    await check(5);
    expect(growth()).toBe(0);
    await check(3);
    expect(growth()).toBe(1);
    await check(3);
    expect(growth()).toBe(1);
  });

  it('stops watching at a failed check and resumes at a successful check', async () => {
    const { watch, timer, fail, check, growth, lines } = await watched();
    expect(watch.isWatching).toBe(true);
    for (const _ of [1, 2, 3]) {
      timer.tick();
      await fail(new DatabaseError({ message: 'about ann@example.com', code: '57P03' }));
      expect(watch.isWatching).toBe(false);
    }
    expect(growth()).toBe(0);
    // The restarted server may lack the last commits, so the same number counts as new.
    await check(5);
    await check(5);
    expect([watch.isWatching, growth()]).toEqual([true, 1]);
    expect(lines).toEqual(['warn market watch lost code=57P03', 'market watch restored']);
  });

  it('stops watching when a check takes two seconds, until a check that takes less', async () => {
    const { watch, timer, respond, hasQuery, check, growth, lines } = await watched();
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
    const { watch, timer, respond, fail, check } = await watched();
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
    const { timer, respond, check, growth } = await watched();
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
    const { database, fail, respond } = scripted();
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
    const { watch, check, timer, respond, growth, calls, lines } = await watched();
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
