import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatabaseError } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import { toldWatch } from '#tests/support/told-watch.ts';
import { ADMISSION, createAdmission } from './admission.ts';
import { createCachedReads, type Served } from './cached-reads.ts';
import { createEras } from './eras.ts';
import type { RestResponse } from './exchange.ts';
import { Refusal } from './refusal.ts';
import { createCapacity } from './slots.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;
const AWAY = new DatabaseUnavailable('unreachable', 'The database is away.');

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A statement that the test answers when it likes. */
interface Statement {
  readonly key: string;
  answer(body: string): void;
  fail(error: unknown): void;
}

function setUp({ bytes = 1024 * 1024 } = {}) {
  const watch = toldWatch(Date.now);
  const statements: Statement[] = [];
  const compress = vi.fn(async () => ({ br: Buffer.from('br'), gzip: Buffer.from('gzip') }));
  const slots = createCapacity(bytes, compress);
  const eras = createEras(watch);
  const reads = createCachedReads({
    slots,
    eras,
    admit: createAdmission(ADMISSION.reads),
    now: Date.now,
  });
  const ask = (key: string, isKept = true) =>
    reads.answer({
      key,
      isKept,
      ask: () =>
        new Promise<RestResponse>((resolve, reject) => {
          const answer = (body: string) => resolve({ status: 200, headers: {}, body });
          statements.push({ key, answer, fail: reject });
        }),
    });
  /** Lets everything happen that waits for nothing. */
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const answerAll = async (body: string) => {
    await settle();
    for (const { answer } of statements.splice(0)) answer(body);
    await settle();
  };
  const failAll = async (error: unknown) => {
    await settle();
    for (const { fail } of statements.splice(0)) fail(error);
    await settle();
  };
  /** Asks for a key and answers its statement. */
  const fill = async (key: string, body: string) => {
    const asked = ask(key);
    await answerAll(body);
    return asked;
  };
  return { watch, eras, statements, compress, slots, reads, ask, settle, answerAll, failAll, fill };
}

const told = ({ answer, age }: Served) => [answer.content.toString(), age];

describe('a read', () => {
  it('is asked of the database once, however many want it at the same time and afterwards', async () => {
    const { ask, statements, settle, answerAll, reads } = setUp();
    const all = Array.from({ length: 100 }, () => ask('a'));
    await settle();
    expect(statements).toHaveLength(1);
    await answerAll('one');
    expect(new Set((await Promise.all(all)).map(({ answer }) => answer)).size).toBe(1);
    expect(told(await ask('a'))).toEqual(['one', null]);
    expect(statements).toHaveLength(0);
    expect(reads.counts).toEqual({ cache: 1, database: 100, stale: 0, refused: 0 });
  });

  it('is another one for another key', async () => {
    const { ask, fill, statements, settle } = setUp();
    await fill('a', 'one');
    void ask('b');
    await settle();
    expect(statements.map(({ key }) => key)).toEqual(['b']);
  });

  it('is asked again once the market has changed, or nobody tells whether it has', async () => {
    const { ask, fill, watch, answerAll } = setUp();
    await fill('a', 'one');
    watch.version += 1;
    expect(told(await fill('a', 'two'))).toEqual(['two', null]);
    watch.isTold = false;
    expect(told(await fill('a', 'three'))).toEqual(['three', null]);
    watch.isTold = true;
    expect(told(await ask('a'))).toEqual(['three', null]);
    await answerAll('');
  });

  it('is asked again after an hour in which nothing changed, since time alone makes a row visible [R23]', async () => {
    const { ask, fill, statements, settle, answerAll } = setUp();
    await fill('a', 'one');
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(told(await ask('a'))).toEqual(['one', null]);
    await vi.advanceTimersByTimeAsync(SECOND);
    const later = ask('a');
    await settle();
    expect(statements).toHaveLength(1);
    await answerAll('two');
    expect(told(await later)).toEqual(['two', null]);
    expect(told(await ask('a'))).toEqual(['two', null]);
  });

  it('that began before the market changed is not current, nor an answer for who asked after that', async () => {
    const { ask, watch, statements, settle } = setUp();
    const early = ask('a');
    await settle();
    watch.version += 1;
    const late = ask('a');
    await settle();
    expect(statements).toHaveLength(1);
    statements[0]?.answer('old');
    await settle();
    expect(told(await early)).toEqual(['old', null]);
    expect(statements).toHaveLength(2);
    statements[1]?.answer('new');
    expect(told(await late)).toEqual(['new', null]);
    expect(told(await ask('a'))).toEqual(['new', null]);
  });

  it('that failed, or is not to be kept, is asked again', async () => {
    const { ask, statements, failAll, fill, answerAll } = setUp();
    const refused = expect(ask('a')).rejects.toThrow('denied');
    await failAll(new DatabaseError({ code: '42501', message: 'denied' }));
    await refused;
    await fill('a', 'one');
    const first = ask('b', false);
    await answerAll('two');
    expect((await first).slot).toBeNull();
    const second = ask('b', false);
    await vi.advanceTimersByTimeAsync(0);
    expect(statements).toHaveLength(1);
    await answerAll('three');
    expect(told(await second)).toEqual(['three', null]);
  });

  it('that is refused now, though it was not before, is refused', async () => {
    const { ask, fill, watch, failAll } = setUp();
    await fill('a', 'one');
    watch.version += 1;
    const none = new Refusal({ status: 406, code: 'PGRST116', message: 'no rows' });
    const refused = expect(ask('a')).rejects.toBe(none);
    await failAll(none);
    await refused;
  });

  it('is compressed once it is asked for again, and anew when it has changed', async () => {
    const { ask, fill, watch, compress, reads } = setUp();
    const { answer } = await fill('a', 'one');
    expect([compress.mock.calls.length, answer.br]).toEqual([0, null]);
    await ask('a');
    await ask('a');
    expect(compress).toHaveBeenCalledTimes(1);
    expect(answer.br?.toString()).toBe('br');
    watch.version += 1;
    const { slot } = await fill('a', 'two');
    expect(compress).toHaveBeenCalledTimes(2);
    expect(slot === null ? null : reads.currentOf(slot)?.content.toString()).toBe('two');
  });

  it('is let go with all that was made of it when others need the room', async () => {
    const { fill, slots, reads } = setUp({ bytes: 256 * 1024 });
    const { slot } = await fill('a', 'one');
    for (let at = 0; at < 100; at += 1) await fill(`${at}`, 'x'.repeat(2_000));
    expect(slots.bytes).toBeLessThanOrEqual(256 * 1024);
    expect(slots.size).toBeGreaterThan(10);
    expect([slot?.answer, slot === null ? null : reads.currentOf(slot)]).toEqual([null, null]);
  });
});

describe('while the database keeps silent', () => {
  it('who asks waits a second for something newer, then gets what there is and its age', async () => {
    const { ask, fill, watch, settle } = setUp();
    await fill('a', 'one');
    await vi.advanceTimersByTimeAsync(7 * SECOND);
    watch.version += 1;
    const waiting = ask('a');
    const early = vi.fn();
    void waiting.then(early);
    await vi.advanceTimersByTimeAsync(SECOND - 1);
    expect(early).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(told(await waiting)).toEqual(['one', 8]);
    await settle();
  });

  it('others get it at once, and only one more statement looks whether it is back', async () => {
    const { ask, fill, watch, statements, reads } = setUp();
    for (const key of ['a', 'b', 'c', 'd']) await fill(key, key);
    watch.version += 1;
    const first = ask('a');
    await vi.advanceTimersByTimeAsync(SECOND);
    await first;
    for (const key of ['a', 'b', 'c', 'd', 'a', 'b']) expect(told(await ask(key))).toEqual([key, 1]);
    await vi.advanceTimersByTimeAsync(60 * SECOND);
    for (const key of ['b', 'c', 'd']) expect(told(await ask(key))).toEqual([key, 61]);
    expect(statements.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(reads.counts.stale).toBe(10);
  });

  it('an answer that comes late is kept, and all is well again', async () => {
    const { ask, fill, watch, statements, settle } = setUp();
    await fill('a', 'one');
    watch.version += 1;
    const waiting = ask('a');
    await vi.advanceTimersByTimeAsync(3 * SECOND);
    expect(told(await waiting)).toEqual(['one', 1]);
    statements[0]?.answer('two');
    await settle();
    expect(told(await ask('a'))).toEqual(['two', null]);
    // Known to be well: the next change is waited for again.
    watch.version += 1;
    const next = ask('a');
    await settle();
    statements[1]?.answer('three');
    expect(told(await next)).toEqual(['three', null]);
  });

  it('who wants what is not there is told to come again, after five seconds at most', async () => {
    const { ask, reads } = setUp();
    const refusal = { status: 503, code: 'PGRST003', headers: { 'Retry-After': '5' } };
    const refused = expect(ask('a')).rejects.toMatchObject(refusal);
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    await refused;
    expect(reads.counts.refused).toBe(1);
  });

  it('no more statements are begun than may be, and who comes when all places are taken is refused at once', async () => {
    const { ask, statements, settle } = setUp();
    const most = ADMISSION.reads.atOnce + ADMISSION.reads.waiting;
    const all = Array.from({ length: most }, (_, at) => ask(`${at}`).catch(() => null));
    await settle();
    expect(statements).toHaveLength(ADMISSION.reads.atOnce);
    await expect(ask('one more')).rejects.toMatchObject({ status: 503 });
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    expect(await Promise.all(all)).toEqual(all.map(() => null));
    expect(statements).toHaveLength(ADMISSION.reads.atOnce);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('while the database is away', () => {
  it('serves a stale answer with the time since it was known to be current, for an hour', async () => {
    const { ask, fill, watch, eras, statements, failAll } = setUp();
    await fill('a', 'one');
    await vi.advanceTimersByTimeAsync(HOUR);
    // What the gate does every few seconds.
    eras.current();
    expect(told(await ask('a'))).toEqual(['one', null]);
    watch.isTold = false;
    const first = ask('a');
    await failAll(AWAY);
    expect(told(await first)).toEqual(['one', 0]);
    await vi.advanceTimersByTimeAsync(HOUR - SECOND);
    expect(told(await ask('a'))).toEqual(['one', 3_599]);
    await failAll(AWAY);
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    const refused = expect(ask('a')).rejects.toThrow(DatabaseUnavailable);
    await failAll(AWAY);
    await refused;
    expect(statements).toHaveLength(0);
  });

  it('it is asked once a second at most whether it is back, and is known to be by the first answer', async () => {
    const { ask, fill, watch, statements, failAll, answerAll } = setUp();
    await fill('a', 'one');
    watch.isTold = false;
    const first = ask('a');
    await failAll(AWAY);
    await first;
    let asked = 0;
    for (let at = 0; at < 100; at += 1) {
      await ask('a');
      await vi.advanceTimersByTimeAsync(50);
      asked += statements.length;
      await failAll(AWAY);
    }
    expect(asked).toBeGreaterThan(2);
    expect(asked).toBeLessThanOrEqual(6);
    await vi.advanceTimersByTimeAsync(SECOND);
    await ask('a');
    watch.isTold = true;
    await answerAll('two');
    expect(told(await ask('a'))).toEqual(['two', null]);
  });

  it('is asked again by the first read after it is back, so that this one is current', async () => {
    const { ask, fill, watch, failAll, answerAll, statements } = setUp();
    await fill('a', 'one');
    watch.isTold = false;
    const first = ask('a');
    await failAll(AWAY);
    await first;
    await ask('a');
    await failAll(AWAY);
    expect(told(await ask('a'))).toEqual(['one', 0]);
    // A watch that is told again counts a new version.
    watch.version += 1;
    watch.isTold = true;
    const next = ask('a');
    await answerAll('two');
    expect([told(await next), statements.length]).toEqual([['two', null], 0]);
  });

  it('it is asked whether it is back by a clock that was set back too', async () => {
    const { ask, fill, watch, statements, failAll, answerAll } = setUp();
    await fill('a', 'one');
    watch.isTold = false;
    const first = ask('a');
    await failAll(AWAY);
    await first;
    await ask('a');
    await failAll(AWAY);
    vi.setSystemTime(Date.now() - HOUR);
    expect(told(await ask('a'))).toEqual(['one', 0]);
    expect(statements).toHaveLength(1);
    await answerAll('two');
    watch.isTold = true;
    expect(told(await ask('a'))).toEqual(['two', null]);
  });

  it('a request that the database refuses for itself says nothing of the others', async () => {
    const { ask, fill, watch, settle, failAll, statements } = setUp();
    await fill('a', 'one');
    const odd = ask('odd').catch(() => null);
    await failAll(new DatabaseError({ code: '22P02', message: 'no number' }));
    await odd;
    watch.version += 1;
    const waiting = ask('a');
    await settle();
    statements[0]?.answer('two');
    expect(told(await waiting)).toEqual(['two', null]);
  });
});
