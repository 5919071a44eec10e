import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Database, DatabaseError, type Row } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import { toldWatch } from '#tests/support/told-watch.ts';
import { exposition } from '../metrics/exposition.ts';
import { ADMISSION } from './admission.ts';
import type { RestRequest } from './exchange.ts';
import { createServedGate, type ServedGate } from './served-gate.ts';
import type { Tables } from './tables.ts';

const KEY = 'sb_publishable_test';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const columns = new Map([
  ['id', 'bigint'],
  ['created_at', 'timestamp with time zone'],
]);
const TABLES: Tables = new Map(
  ['market_metrics', 'market_indices', 'input_origins', 'email_subscribers'].map((name) => [
    name,
    { name, columns },
  ]),
);

beforeEach(() => {
  vi.useFakeTimers();
});
const gates: ServedGate[] = [];
afterEach(() => {
  for (const gate of gates.splice(0)) gate.close();
  vi.useRealTimers();
});

/** A gate over a database that answers each statement with its number, or throws. */
function setUp({ padding = '' } = {}) {
  const watch = toldWatch(Date.now);
  const logged: string[] = [];
  const keep = (event: string, fields = {}) => logged.push(JSON.stringify({ event, ...fields }));
  let statements = 0;
  let failure: Error | null = null;
  let isSilent = false;
  const transaction: Database['transaction'] = (work) =>
    work({
      query: async <R extends Row>(sql: string) => {
        statements += 1;
        if (failure !== null) throw failure;
        if (isSilent) await new Promise(() => undefined);
        const total = sql.includes('null::bigint as total') ? null : 3;
        return [{ body: `[{"id":${statements}}]${padding}`, rows: 1, total }] as unknown as R[];
      },
      script: () => Promise.reject(new Error('not used')),
      copyIn: () => Promise.reject(new Error('not used')),
      copyOut: () => Promise.reject(new Error('not used')),
    });
  const database: Database = {
    engine: 'embedded',
    transaction,
    listen: async () => async () => undefined,
    close: async () => undefined,
  };
  const gate = createServedGate({
    database,
    tables: TABLES,
    publicKey: KEY,
    watch,
    now: Date.now,
    log: { info: keep, warn: keep, error: keep },
  });
  gates.push(gate);
  const ask = async (request: Partial<RestRequest> = {}, words: string | null = null) => {
    const answer = await gate.answer(
      {
        method: 'GET',
        path: '/market_metrics',
        query: '',
        headers: { apikey: KEY, ...request.headers },
        body: new Uint8Array(),
        client: '203.0.113.9',
        ...(({ headers: _, ...others }) => others)(request),
      },
      words,
    );
    if (!('answer' in answer)) return { ...answer, age: null };
    const { status, headers, content } = answer.answer;
    return { status, headers, body: content.toString(), age: answer.age };
  };
  const metric = (line: string) =>
    Number(
      exposition(gate.families())
        .split('\n')
        .find((told) => told.startsWith(`${line} `))
        ?.split(' ')
        .at(-1),
    );
  return {
    ...{ gate, watch, ask, logged, metric },
    statements: () => statements,
    failWith: (error: Error | null) => {
      failure = error;
    },
    keepSilent: () => {
      isSilent = true;
    },
  };
}

describe('a read that names a moment by a word', () => {
  it.each(['now', 'TODAY', 'tomorrow 10:00', '%20yesterday'])('is asked anew each time: %s', async (word) => {
    const { ask, statements } = setUp();
    const query = `created_at=gt.${word}`;
    await ask({ query }, query);
    await ask({ query }, query);
    expect(statements()).toBe(2);
    await ask({ query: `created_at=in.(2026-01-02,${word})` });
    await ask({ query: `created_at=in.(2026-01-02,${word})` });
    expect(statements()).toBe(4);
  });
});

describe('two requests', () => {
  it.each<[string, Partial<RestRequest>, Partial<RestRequest>]>([
    ['the parameters come in another order', { query: 'limit=1&select=id' }, { query: 'select=id&limit=1' }],
    ['they are written in another way', { query: 'select=id&id=eq.1' }, { query: 'select=%69d&id=eq.%31' }],
    ['one asks for the headers only', { method: 'GET' }, { method: 'HEAD' }],
    ['a header says what goes without saying', {}, { headers: { accept: 'application/json' } }],
    ['one prefers what is not known', {}, { headers: { prefer: 'foo=bar' } }],
    ['the header Range says nothing', {}, { headers: { range: 'bytes=0-1' } }],
    ['one says who asks in another way', {}, { headers: { authorization: `Bearer ${KEY}` } }],
  ])('have one answer where %s', async (_, one, other) => {
    const { ask, statements } = setUp();
    const first = await ask(one);
    const second = await ask(other);
    expect(statements()).toBe(1);
    expect([first.status, second.headers]).toEqual([200, first.headers]);
  });

  it.each<[string, Partial<RestRequest>]>([
    ['another table', { path: '/market_indices' }],
    ['another filter', { query: 'select=id&id=eq.2' }],
    ['a filter more', { query: 'select=id&id=eq.1&id=neq.2' }],
    ['a comma within a value for one between two', { query: 'select=id&id=in.(1,2)' }],
    ['another order', { query: 'select=id&id=eq.1&order=id' }],
    ['another limit', { query: 'select=id&id=eq.1&limit=2' }],
    ['another offset', { query: 'select=id&id=eq.1&offset=2' }],
    ['another range', { headers: { range: '0-1' } }],
    ['a count', { headers: { prefer: 'count=exact' } }],
    ['handling', { headers: { prefer: 'handling=lenient' } }],
    ['one object', { headers: { accept: 'application/vnd.pgrst.object+json' } }],
    ['the schema named', { headers: { 'accept-profile': 'public' } }],
    ['a parameter that says nothing but where the answer is', { query: 'select=id&id=eq.1&columns=id' }],
  ])('have two answers where one asks for %s', async (_, other) => {
    const { ask, statements } = setUp();
    const base = { query: 'select=id&id=eq.1' };
    const first = await ask(base);
    const second = await ask({ ...base, ...other });
    expect(statements()).toBe(2);
    expect(second.body).not.toBe(first.body);
    expect((await ask({ ...base, ...other })).headers).toEqual(second.headers);
    expect((await ask(base)).body).toBe(first.body);
    expect(statements()).toBe(2);
  });

  it('get each the headers it asked for and no others', async () => {
    const { ask } = setUp();
    const plain = await ask({});
    const counted = await ask({ headers: { prefer: 'count=exact', 'accept-profile': 'public' } });
    expect(counted.headers).toMatchObject({
      'Preference-Applied': 'count=exact',
      'Content-Profile': 'public',
    });
    expect(plain.headers['Preference-Applied']).toBeUndefined();
    expect(plain.headers['Content-Profile']).toBeUndefined();
  });
});

describe('the same words', () => {
  it('lead to the answer at once while it is current, and to none afterwards', async () => {
    const { gate, ask, watch } = setUp();
    expect(gate.hit('words')).toBeNull();
    await ask({}, 'words');
    expect(gate.hit('words')?.content.toString()).toBe('[{"id":1}]');
    watch.isTold = false;
    expect(gate.hit('words')).toBeNull();
    watch.isTold = true;
    watch.version += 1;
    expect(gate.hit('words')).toBeNull();
    await ask();
    expect(gate.hit('words')?.content.toString()).toBe('[{"id":2}]');
  });

  it.each<[string, Partial<RestRequest>]>([
    ['without the key', { headers: { apikey: undefined } }],
    ['with a wrong key', { headers: { apikey: `${KEY}x` } }],
    ['for what may not be read', { path: '/email_subscribers' }],
    ['for what is not there', { path: '/nope' }],
    ['in a way that is not understood', { query: 'id=foo.1' }],
    ['as an insert', { method: 'POST', path: '/email_subscribers', body: Buffer.from('{}') }],
  ])('lead to nothing where they were said %s', async (_, request) => {
    const { gate, ask, failWith } = setUp();
    if (request.path === '/email_subscribers') failWith(new DatabaseError({ code: '42501', message: 'no' }));
    expect((await ask(request, 'words')).status).toBeGreaterThanOrEqual(400);
    expect(gate.hit('words')).toBeNull();
  });

  it('are not remembered where they are very many, and the memory is bounded', async () => {
    const { gate, ask } = setUp();
    const long = 'x'.repeat(3_000);
    await ask({}, long);
    expect(gate.hit(long)).toBeNull();
    for (let at = 0; at < 1_000; at += 1) await ask({}, `${'x'.repeat(1_000)}${at}`);
    expect(gate.hit(`${'x'.repeat(1_000)}0`)).toBeNull();
    expect(gate.hit(`${'x'.repeat(1_000)}999`)).not.toBeNull();
  });
});

describe('what nobody wants', () => {
  it('takes a bounded memory, and no place of what visitors ask for', async () => {
    // More than there is room for altogether.
    const { ask, statements, metric } = setUp({ padding: ' '.repeat(3_000) });
    const visitors = Array.from({ length: 14 }, (_, at) => ({ query: `select=id&id=eq.${at}` }));
    for (const request of [...visitors, ...visitors]) await ask(request);
    for (let at = 0; at < 10_000; at += 1) {
      await ask({ query: `created_at=gte.${new Date(at).toISOString()}&offset=${at}` });
    }
    expect(metric('barometer_read_cache_bytes')).toBeLessThanOrEqual(16 * 1024 * 1024);
    const before = statements();
    for (const request of visitors) await ask(request);
    expect(statements()).toBe(before);
  });

  it('costs the database nothing where it cannot be', async () => {
    const { ask, statements } = setUp();
    for (let at = 0; at < 100; at += 1) {
      expect((await ask({ query: `column${at}=eq.1` })).status).toBe(400);
      expect((await ask({ headers: { apikey: `${at}` } })).status).toBe(401);
    }
    expect(statements()).toBe(0);
  });
});

describe('what is refused', () => {
  it('is asked again each time, and so are inserts', async () => {
    const { ask, statements, failWith, metric } = setUp();
    failWith(new DatabaseError({ code: '22P02', message: 'no number' }));
    for (let at = 0; at < 3; at += 1) expect((await ask({ query: 'id=eq.x' })).status).toBe(400);
    failWith(null);
    const insert = { method: 'POST', path: '/email_subscribers', body: Buffer.from('{"id":1}') };
    for (let at = 0; at < 3; at += 1) expect((await ask(insert)).status).toBe(201);
    // Two statements an insert: who asks, and the row.
    expect(statements()).toBe(3 + 6);
    expect(metric('barometer_read_cache_entries')).toBe(0);
  });

  it('for a database that is away says when to come again, and is logged once for all who waited', async () => {
    const { ask, failWith, logged, metric } = setUp();
    failWith(new DatabaseUnavailable('unreachable', 'The database is away.'));
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask()));
    for (const { status, headers } of answers) expect([status, headers['Retry-After']]).toEqual([503, '5']);
    expect(logged).toHaveLength(1);
    expect(metric('barometer_reads_total{by="refused"}')).toBe(20);
  });
});

describe('a database that keeps silent', () => {
  it('has so many inserts at most to do, and reads their own number, while the others are refused', async () => {
    const { ask, statements, keepSilent } = setUp();
    keepSilent();
    const insert = { method: 'POST', path: '/email_subscribers', body: Buffer.from('{"id":1}') };
    const { atOnce, waiting, waitMs } = ADMISSION.inserts;
    const told: number[] = [];
    for (let at = 0; at < atOnce + waiting + 1; at += 1) {
      void ask(insert).then(({ status, headers }) => {
        expect(headers['Retry-After']).toBe('5');
        told.push(status);
      });
    }
    await vi.advanceTimersByTimeAsync(0);
    expect([statements(), told]).toEqual([atOnce, [503]]);
    await vi.advanceTimersByTimeAsync(waitMs);
    expect([statements(), told]).toEqual([atOnce, Array(waiting + 1).fill(503)]);
    void ask();
    await vi.advanceTimersByTimeAsync(0);
    expect(statements()).toBe(atOnce + 1);
  });
});

describe('over a night without visitors', () => {
  it('it is known until when an answer was current, so that one from before serves', async () => {
    const { ask, watch, failWith } = setUp();
    await ask();
    await vi.advanceTimersByTimeAsync(8 * HOUR);
    watch.isTold = false;
    failWith(new DatabaseUnavailable('unreachable', 'The database is away.'));
    await vi.advanceTimersByTimeAsync(59 * MINUTE);
    expect(await ask()).toMatchObject({ status: 200, age: (59 * MINUTE) / 1000 });
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect((await ask()).status).toBe(503);
    failWith(null);
    watch.isTold = true;
    expect(await ask()).toMatchObject({ status: 200, age: null });
  });
});
