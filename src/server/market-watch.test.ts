import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Database, DatabaseError, type Listener, type Row, type Transaction } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { type EmbeddedForTest, embeddedForTest, MIGRATIONS } from '#tests/support/embedded.ts';
import { hasPostgres, type Postgres, startPostgres } from '#tests/support/postgres.ts';
import { createLog } from './log.ts';
import { type MarketWatch, watchMarket } from './market-watch.ts';

/** A log that is kept, each line without its time. */
function keptLog() {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line.slice('00:00:00 '.length).trimEnd());
  return { lines, log: createLog({ write, clock: () => 0, format: 'plain' }) };
}

/** What a watch has by way of a timer: `tick` is its next second. */
function handTimer() {
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

/** Everything that was promised by now has been done. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A database that answers each look for its number with what it is told to, and says what it is told to say. */
function scripted(over: Database['engine']) {
  let say: Listener | undefined;
  let asked: { answer(version: number): void; fail(error: Error): void } | undefined;
  const transaction: Database['transaction'] = (work) => {
    const query = <R extends Row>() =>
      new Promise<R[]>((resolve, reject) => {
        asked = { answer: (version) => resolve([{ version } as unknown as R]), fail: reject };
      });
    return work({ query } as unknown as Transaction);
  };
  const listen: Database['listen'] = async (_, listener) => {
    say = listener;
    return () => undefined;
  };
  const asking = () => {
    if (asked === undefined) throw new Error('The database was not asked.');
    return asked;
  };
  return {
    database: {
      transaction,
      ...(over === 'embedded' && { listen }),
      close: async () => undefined,
    } as Database,
    say: () => {
      if (say === undefined) throw new Error('Nobody listens.');
      return say;
    },
    answer: async (version: number) => {
      asking().answer(version);
      asked = undefined;
      await settled();
    },
    fail: async (error: Error) => {
      asking().fail(error);
      asked = undefined;
      await settled();
    },
    isAsked: () => asked !== undefined,
  };
}

/** The time of a watch's clock (epoch ms); tests move it. */
let time = 0;

/** A watch over such a database, which knows the number 5, and the counted calls of a listener. */
async function watched(over: Database['engine']) {
  const script = scripted(over);
  const timer = handTimer();
  const { log, lines } = keptLog();
  const starting = watchMarket({ database: script.database, now: () => time, log, every: timer.every });
  await script.answer(5);
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
    /** The next second, in which the database answers with this number at once. */
    look: async (version: number) => {
      timer.tick();
      await script.answer(version);
    },
  };
}

describe('a watch over a Postgres', () => {
  it('grows once with each new number that it finds', async () => {
    const { look, growth, calls } = await watched('postgres');
    await look(6);
    await look(6);
    await look(8);
    expect([growth(), calls()]).toEqual([2, 2]);
  });

  it('grows with any number that is another than the one known, as of a backup put in its place', async () => {
    const { look, growth } = await watched('postgres');
    await look(5);
    expect(growth()).toBe(0);
    await look(3);
    expect(growth()).toBe(1);
    await look(3);
    expect(growth()).toBe(1);
  });

  it('is not told from a look that fails until one that does not, which says so once each', async () => {
    const { watch, timer, fail, look, growth, lines } = await watched('postgres');
    expect(watch.isTold).toBe(true);
    for (const _ of [1, 2, 3]) {
      timer.tick();
      await fail(new DatabaseError({ message: 'about ann@example.com', code: '57P03' }));
      expect(watch.isTold).toBe(false);
    }
    expect(growth()).toBe(0);
    await look(6);
    await look(6);
    expect([watch.isTold, growth()]).toEqual([true, 1]);
    expect(lines).toEqual(['warn market news stopped code=57P03', 'market news back']);
  });

  it('is not told while a look has no answer for two seconds, nor by the answer that comes then', async () => {
    const { watch, timer, answer, isAsked, look, growth, lines } = await watched('postgres');
    timer.tick();
    timer.tick();
    expect(watch.isTold).toBe(true);
    timer.tick();
    expect(watch.isTold).toBe(false);
    timer.tick();
    await answer(6);
    expect([watch.isTold, growth(), isAsked()]).toEqual([false, 1, false]);
    await look(6);
    expect([watch.isTold, growth()]).toEqual([true, 2]);
    expect(lines).toEqual([
      'warn market news stopped reason="The database does not answer."',
      'market news back',
    ]);
  });

  it('knows its version to be current as of the beginning of the last look that succeeded', async () => {
    time = 1_000;
    const { watch, timer, answer, fail, look } = await watched('postgres');
    time = 2_000;
    await look(5);
    expect(watch.knownAt).toBe(2_000);
    timer.tick();
    time = 4_000;
    expect(watch.knownAt).toBe(2_000);
    await answer(5);
    expect(watch.knownAt).toBe(2_000);
    time = 9_000;
    timer.tick();
    await fail(new Error('away'));
    expect(watch.knownAt).toBe(2_000);
  });

  it('takes the same number for a new version after a silence, since another database may have it', async () => {
    const { timer, answer, look, growth } = await watched('postgres');
    for (const _ of [1, 2]) {
      for (const __ of [1, 2, 3]) timer.tick();
      await answer(5);
    }
    expect(growth()).toBe(0);
    await look(5);
    await look(5);
    expect(growth()).toBe(1);
  });

  it('starts without a database, and is told once that is there', async () => {
    const { database, fail, answer } = scripted('postgres');
    const { every, tick } = handTimer();
    const starting = watchMarket({ database, now: Date.now, every, log: keptLog().log });
    await fail(new Error('away'));
    const watch = await starting;
    expect(watch.isTold).toBe(false);
    const before = watch.version;
    tick();
    await answer(5);
    expect([watch.isTold, watch.version - before]).toEqual([true, 1]);
  });

  it('says nothing more once closed, nor to whom does not want to hear', async () => {
    const { watch, look, timer, answer, growth, calls, lines } = await watched('postgres');
    const stopped: number[] = [];
    watch.onChange(() => stopped.push(1))();
    await look(6);
    timer.tick();
    await watch.close();
    await answer(8);
    expect([growth(), calls(), stopped, timer.ticks.size, lines]).toEqual([1, 1, [], 0, []]);
    expect(watch.isTold).toBe(false);
  });
});

describe('a watch whose database was away for a while', () => {
  it('takes the number it knows for another one, since what had it may be lost', async () => {
    const { say, answer, growth } = await watched('embedded');
    say().lost();
    say().regained();
    await answer(5);
    expect(growth()).toBe(1);
  });

  it('does so too where only its looks tell it that the database was away', async () => {
    const { timer, fail, look, growth } = await watched('postgres');
    timer.tick();
    await fail(new Error('away'));
    await look(5);
    await look(5);
    expect(growth()).toBe(1);
  });

  it('counts a notification that comes before it has looked, and the same number once', async () => {
    const { say, answer, growth } = await watched('embedded');
    say().lost();
    say().regained();
    say().notified('5');
    await answer(5);
    expect(growth()).toBe(1);
  });
});

describe('a watch over the embedded database', () => {
  it('grows once with each notified number that is higher than the one known', async () => {
    const { say, growth, calls } = await watched('embedded');
    say().notified('7');
    say().notified('6');
    say().notified('7');
    expect(growth()).toBe(1);
    say().notified('8');
    expect([growth(), calls()]).toEqual([2, 2]);
  });

  it('takes no answer for news that is older than a notification', async () => {
    const { say, answer, growth } = await watched('embedded');
    say().lost();
    say().regained();
    say().notified('6');
    await answer(5);
    expect(growth()).toBe(1);
  });

  it('knows its version to be current at every moment until its worker is lost', async () => {
    time = 1_000;
    const { watch, say } = await watched('embedded');
    time = 8_000;
    expect(watch.knownAt).toBe(8_000);
    say().lost();
    time = 9_000;
    expect(watch.knownAt).toBe(8_000);
  });

  it('counts what changed while it was not told, before it is told again', async () => {
    const { watch, say, answer, isAsked, growth, timer, lines } = await watched('embedded');
    timer.tick();
    expect(isAsked()).toBe(false);
    say().lost();
    expect(watch.isTold).toBe(false);
    say().regained();
    expect([watch.isTold, growth()]).toEqual([false, 0]);
    await answer(6);
    expect([watch.isTold, growth()]).toEqual([true, 1]);
    say().lost();
    say().regained();
    await answer(6);
    expect([watch.isTold, growth()]).toEqual([true, 2]);
    const stopped = 'warn market news stopped reason="The database is opened anew."';
    expect(lines).toEqual([stopped, 'market news back', stopped, 'market news back']);
  });

  it('asks again each second when it could not be asked, until it is told', async () => {
    const { watch, say, fail, answer, isAsked, growth, timer } = await watched('embedded');
    say().lost();
    timer.tick();
    await fail(new Error('full'));
    expect([watch.isTold, isAsked()]).toEqual([false, false]);
    timer.tick();
    await answer(5);
    expect([watch.isTold, growth()]).toEqual([true, 1]);
  });

  describe('that is real', () => {
    let embedded: EmbeddedForTest;
    let watch: MarketWatch;
    beforeAll(async () => {
      embedded = await embeddedForTest();
      watch = await watchMarket({ database: embedded.database, now: Date.now, log: keptLog().log });
    });
    afterAll(async () => {
      await watch.close();
      await embedded.remove();
    });
    const run = (sql: string, options = {}) =>
      embedded.database.transaction((transaction) => transaction.query(sql), options);

    it('has grown before a commit is answered, and with nothing else', async () => {
      const before = watch.version;
      expect(watch.isTold).toBe(true);
      await run('insert into market_metrics (market_exposure) values (50)');
      expect(watch.version).toBe(before + 1);
      await expect(run('insert into market_metrics (market_exposure) values (500)')).rejects.toThrow();
      await run("insert into email_subscribers (email) values ('ann@example.com')", { role: 'anon' });
      expect(watch.version).toBe(before + 1);
    });

    it('is not told from the loss of the worker until the next one', async () => {
      const before = watch.version;
      const slow = run('select count(*) from generate_series(1, 1000000000)', { statementTimeoutMs: 50 });
      const atFailure = await slow.catch(() => watch.isTold);
      expect(atFailure).toBe(false);
      await expect.poll(() => watch.isTold).toBe(true);
      // Its last commits may have gone with the worker.
      expect(watch.version).toBe(before + 1);
      await run('delete from market_metrics');
      expect(watch.version).toBe(before + 2);
    });
  });
});

describe.runIf(hasPostgres())('a watch over a Postgres that is real', () => {
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

  it('finds what another process commits by looking', async () => {
    const { tick, every } = handTimer();
    const { log, lines } = keptLog();
    watch = await watchMarket({ database: ours, now: Date.now, log, every });
    const before = watch.version;
    await publish();
    expect([watch.isTold, watch.version]).toEqual([true, before]);
    tick();
    await expect.poll(() => watch?.version).toBe(before + 1);
    await publish();
    tick();
    await expect.poll(() => watch?.version).toBe(before + 2);
    expect(lines).toEqual([]);
  });

  it('is not told while the server is down, and is again once it has restarted', async () => {
    const { tick, every } = handTimer();
    const { log, lines } = keptLog();
    const opened = await watchMarket({ database: ours, now: Date.now, log, every });
    watch = opened;
    const before = opened.version;
    await server.restart(async () => {
      tick();
      await expect.poll(() => opened.isTold).toBe(false);
    });
    tick();
    await expect.poll(() => opened.isTold).toBe(true);
    // The one that came back may lack the last commits of the other.
    expect(opened.version).toBe(before + 1);
    await publish();
    tick();
    await expect.poll(() => opened.version).toBe(before + 2);
    expect(lines).toEqual([expect.stringMatching(/^warn market news stopped /), 'market news back']);
  });
});
