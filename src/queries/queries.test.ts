import { beforeEach, describe, expect, it, vi } from 'vitest';
import { marketDay, newestOpenedSession, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { EMPTY } from '#tests/support/dashboard-rows.ts';
import { createTableClient, fetchDashboard } from './client.ts';
import { newestBatch } from './read-dashboard.ts';
import { subscribe } from './subscribe.ts';

interface Call {
  method: string;
  table: string;
  query: URLSearchParams;
  headers: Headers;
  body: string;
}

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

let calls: Call[] = [];
let reply: (call: Call) => Reply;

/** Responds to a request of the client with `reply`. */
const respond: typeof globalThis.fetch = async (input, init) => {
  const { pathname, searchParams } = new URL(String(input));
  const call: Call = {
    ...{ method: init?.method ?? '', table: pathname.replace('/rest/v1/', ''), query: searchParams },
    ...{ headers: new Headers(init?.headers), body: String(init?.body ?? '') },
  };
  calls.push(call);
  const { status = 200, headers = {}, body } = reply(call);
  return new Response(typeof body === 'object' ? JSON.stringify(body) : (body as string), {
    status,
    headers,
  });
};
const clientOf = (fetch: typeof globalThis.fetch) =>
  createTableClient({ supabaseUrl: 'http://stub/', anonKey: 'sb_publishable_test', fetch });
const client = clientOf(respond);
const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);

beforeEach(() => {
  calls = [];
  reply = () => ({ body: [] });
  logged.mockClear();
});

const clockAt = (now: string) => ({
  now: Date.parse(now),
  marketDay,
  startOfMarketDay,
  newestOpenedSession,
});
const FRIDAY_EVENING = clockAt('2026-11-13T23:00:00Z');
const SATURDAY = clockAt('2026-11-14T15:00:00Z');

/** A backend with Fear & Greed rows. It supports time ranges, orders, limits and offsets. */
function keepFearGreed(instants: readonly string[], cap = 1000): (call: Call) => Reply {
  return ({ table, query }) => {
    if (table !== 'fear_greed_index') return { body: [] };
    const bounds = query.getAll('created_at');
    const within = instants.filter((instant) =>
      bounds.every((bound) => {
        const edge = bound.slice(bound.indexOf('.') + 1);
        return bound.startsWith('gte.')
          ? Date.parse(instant) >= Date.parse(edge)
          : Date.parse(instant) < Date.parse(edge);
      }),
    );
    within.sort();
    if (query.get('order')?.startsWith('created_at.desc')) within.reverse();
    const offset = Number(query.get('offset') ?? 0);
    const page = within.slice(offset, offset + Math.min(cap, Number(query.get('limit'))));
    return {
      headers: { 'content-range': `${offset}-${offset + page.length - 1}/${within.length}` },
      body: page.map((created_at) => ({ index_value: 50, safe_haven_demand: 61, created_at })),
    };
  };
}

describe('the table reads', () => {
  it('are the calls of the specification [S3.9] [S6.1] [S7.1] [S7.3] [S7.5] [S9.3]', async () => {
    await fetchDashboard(client, FRIDAY_EVENING);
    const told = calls.map(({ method, table, query }) => {
      query.delete('select');
      return `${method} ${table} ${decodeURIComponent(query.toString())}`;
    });
    const weekAgo = 'created_at=gte.2026-11-01T04:00:00.000Z&created_at=lt.2026-11-07T05:00:00.000Z';
    expect(told.sort()).toEqual([
      `GET advanced_indicators ${weekAgo}&order=created_at.desc&limit=1`,
      'GET advanced_indicators order=created_at.desc&limit=1',
      'GET fear_greed_index created_at=gte.2025-11-08T05:00:00.000Z&created_at=lt.2025-11-14T05:00:00.000Z&order=created_at.desc&limit=1',
      'GET fear_greed_index created_at=gte.2025-11-13T05:00:00.000Z&order=created_at.asc&offset=0&limit=1000',
      'GET fear_greed_index created_at=gte.2026-10-09T04:00:00.000Z&created_at=lt.2026-10-15T04:00:00.000Z&order=created_at.desc&limit=1',
      `GET fear_greed_index ${weekAgo}&order=created_at.desc&limit=1`,
      'GET fear_greed_index created_at=gte.2026-11-07T05:00:00.000Z&created_at=lt.2026-11-13T05:00:00.000Z&order=created_at.desc&limit=1',
      'GET fear_greed_index order=created_at.desc&limit=1',
      `GET market_breadth ${weekAgo}&order=created_at.desc&limit=1`,
      'GET market_breadth order=created_at.desc&limit=1',
      'GET market_indices order=created_at.desc,symbol.asc,id.asc&limit=3',
      `GET market_metrics ${weekAgo}&order=created_at.desc&limit=1`,
      'GET market_metrics order=created_at.desc&limit=1',
      `GET market_sentiment ${weekAgo}&order=created_at.desc&limit=3`,
      'GET market_sentiment order=created_at.desc&limit=3',
      `GET sector_strength ${weekAgo}&order=created_at.desc&limit=11`,
      'GET sector_strength order=created_at.desc&limit=11',
    ]);
    for (const { headers } of calls) expect(headers.get('apikey')).toBe('sb_publishable_test');
  });

  it.each([
    ['after the close', FRIDAY_EVENING, 17],
    ['at a weekend, when the close before the last is asked for too', SATURDAY, 18],
  ])('start all at once %s [S7.2] [R16]', async (_, clock, reads) => {
    let started = 0;
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const days = ['2026-11-06', '2026-11-12', '2026-11-13'];
    reply = keepFearGreed(days.map((day) => `${day}T21:00:00.000Z`));
    const held = clientOf(async (...request) => {
      started += 1;
      if (started === reads) release();
      await gate;
      return respond(...request);
    });
    const { fearGreed } = await fetchDashboard(held, clock);
    expect(fearGreed.previousClose?.created_at).toBe('2026-11-12T21:00:00.000Z');
    expect(started).toBe(reads);
  });

  it('return nulls and empty lists from an empty backend', async () => {
    expect(await fetchDashboard(client, FRIDAY_EVENING)).toEqual(EMPTY);
  });

  it('exclude rows of older batches and invalid rows', async () => {
    reply = ({ table }) => ({
      body:
        table === 'market_sentiment'
          ? [
              { timeframe: 'weekly', score: 1, created_at: '2026-11-13T21:00:00+00:00' },
              { timeframe: 'short', score: 61, created_at: '2026-11-13T21:00:00+00:00' },
              { timeframe: 'short', score: 62, created_at: '2026-11-13T21:00:00+00:00' },
              { timeframe: 'long', score: 40, created_at: '2026-11-12T21:00:00+00:00' },
              'nonsense',
            ]
          : [],
    });
    const { sentiment } = await fetchDashboard(client, FRIDAY_EVENING);
    expect(sentiment.map((row) => row.timeframe)).toEqual(['short']);
  });

  it('return a repeated symbol or sector once [R4]', async () => {
    const created_at = '2026-11-13T21:00:00+00:00';
    const rows: Record<string, object[]> = {
      market_indices: [1, 2].map((price) => ({ symbol: 'SPX', name: 'S&P 500', price, created_at })),
      sector_strength: [1, 2].map((strength) => ({ sector: 'Energy', strength, created_at })),
    };
    reply = ({ table }) => ({ body: rows[table] ?? [] });
    const { indices, sectors } = await fetchDashboard(client, FRIDAY_EVENING);
    expect([indices.map(({ price }) => price), sectors.map(({ strength }) => strength)]).toEqual([[1], [1]]);
  });

  it('return one row for each key of the newest batch [R4]', () => {
    const rows = [
      { created_at: 'b', key: 'x', n: 1 },
      { created_at: 'b', key: 'y', n: 2 },
      { created_at: 'b', key: 'x', n: 3 },
      { created_at: 'a', key: 'z', n: 4 },
    ];
    expect(newestBatch(rows, (row) => row.key).map((row) => row.n)).toEqual([1, 2]);
    expect(newestBatch([], () => '')).toEqual([]);
  });
});

describe('the closes of Fear & Greed', () => {
  const closes = ['2026-11-04', '2026-11-06', '2026-11-11', '2026-11-12', '2026-11-13'].map(
    (day) => `${day}T21:00:00.000Z`,
  );

  it('have the closes a week and a month ago, and components of the previous one [S3.9] [S7.4] [S9.3]', async () => {
    reply = keepFearGreed(closes);
    const { fearGreed } = await fetchDashboard(client, FRIDAY_EVENING);
    expect(fearGreed.previousClose?.safe_haven_demand).toBe(61);
    expect(fearGreed.oneWeekAgo?.created_at).toBe('2026-11-06T21:00:00.000Z');
    expect(fearGreed.oneMonthAgo).toBeNull();
  });

  it.each([
    ['in the evening', FRIDAY_EVENING, closes, '13', '12'],
    ['at a weekend', SATURDAY, closes, '13', '12'],
    ['before the opening bell', clockAt('2026-11-16T13:00:00Z'), closes, '13', '12'],
    ['if rows do not follow the calendar', SATURDAY, closes.slice(0, -1), '12', '11'],
    ['if the data are weeks old', clockAt('2026-12-04T15:00:00Z'), closes, '13', '12'],
  ])('have the close before the current reading %s [R2] [R19]', async (_, clock, rows, current, previous) => {
    reply = keepFearGreed(rows);
    const { fearGreed } = await fetchDashboard(client, clock);
    expect(fearGreed.current?.created_at).toBe(`2026-11-${current}T21:00:00.000Z`);
    expect(fearGreed.previousClose?.created_at).toBe(`2026-11-${previous}T21:00:00.000Z`);
  });

  it('replace a day without a row by the last session within five days before [S7.4] [R2]', async () => {
    reply = keepFearGreed(['2026-11-02T21:00:00.000Z', '2026-11-13T21:00:00.000Z']);
    const near = await fetchDashboard(client, SATURDAY);
    expect(near.fearGreed.oneWeekAgo?.created_at).toBe('2026-11-02T21:00:00.000Z');
    const far = await fetchDashboard(client, clockAt('2026-11-15T15:00:00Z'));
    expect(far.fearGreed.oneWeekAgo).toBeNull();
    reply = keepFearGreed(['2025-11-26T21:00:00.000Z', '2025-12-04T21:00:00.000Z']);
    const afterHoliday = await fetchDashboard(client, clockAt('2025-12-04T21:30:00Z'));
    expect(afterHoliday.fearGreed.oneWeekAgo?.created_at).toBe('2025-11-26T21:00:00.000Z');
  });

  it('assign a row late in the New York evening to that day [R1]', async () => {
    reply = keepFearGreed(['2026-11-07T04:59:59.000Z', '2026-11-07T05:00:00.000Z']);
    const { fearGreed } = await fetchDashboard(client, FRIDAY_EVENING);
    expect(fearGreed.oneWeekAgo?.created_at).toBe('2026-11-07T04:59:59.000Z');
  });
});

describe('the market a week ago', () => {
  const sectors = (created_at: string, names: readonly string[]) =>
    names.map((sector) => ({ sector, strength: 50, created_at }));

  it('is the newest batch of that day', async () => {
    reply = ({ table, query }) => {
      if (table !== 'sector_strength' || query.getAll('created_at').length === 0) return { body: [] };
      return {
        body: [
          ...sectors('2026-11-06T21:00:00+00:00', ['Energy', 'Utilities', 'Energy']),
          ...sectors('2026-11-06T20:00:00+00:00', ['Financials']),
        ],
      };
    };
    const { weekAgo, sectors: now } = await fetchDashboard(client, FRIDAY_EVENING);
    expect(weekAgo.sectors.map(({ sector }) => sector)).toEqual(['Energy', 'Utilities']);
    expect(now).toEqual([]);
  });

  it.each([
    ['during a session', '2026-11-23T18:04:00Z', '2026-11-23T17:30:00.000Z', '2026-11-16T21:00:00.000Z'],
    [
      'for the mail of that minute',
      '2026-11-23T02:04:00Z',
      '2026-11-23T17:30:00.000Z',
      '2026-11-16T21:00:00.000Z',
    ],
    ['before the bell', '2026-11-23T13:00:00Z', '2026-11-20T21:00:00.000Z', '2026-11-13T21:00:00.000Z'],
    ['at a weekend', '2026-11-21T15:00:00Z', '2026-11-20T21:00:00.000Z', '2026-11-13T21:00:00.000Z'],
    [
      'with data of three days ago',
      '2026-11-19T15:00:00Z',
      '2026-11-16T21:00:00.000Z',
      '2026-11-09T21:00:00.000Z',
    ],
  ])(
    'is a week before the newest rows %s, whatever the clock says [R28]',
    async (_, now, newest, weekAgo) => {
      const weekdays = [9, 10, 11, 12, 13, 16, 17, 18, 19, 20].map((day) =>
        new Date(Date.UTC(2026, 10, day, 21)).toISOString(),
      );
      const kept = weekdays.filter((instant) => instant < newest);
      const fearGreed = keepFearGreed([...kept, newest]);
      reply = (call) => fearGreed({ ...call, table: 'fear_greed_index' });
      const rows = await fetchDashboard(client, clockAt(now));
      expect(rows.fearGreed.current?.created_at).toBe(newest);
      expect([rows.weekAgo.fearGreed?.created_at, rows.weekAgo.metrics?.created_at]).toEqual([
        weekAgo,
        weekAgo,
      ]);
    },
  );

  it('is from the same day as Fear & Greed a week ago', async () => {
    for (const clock of [FRIDAY_EVENING, SATURDAY, clockAt('2026-03-10T03:30:00Z')]) {
      calls = [];
      await fetchDashboard(client, clock);
      const spans = (name: string) =>
        calls.filter(({ table }) => table === name).map(({ query }) => query.getAll('created_at').join());
      expect(spans('fear_greed_index')).toContain(spans('market_metrics').find((span) => span !== ''));
    }
  });
});

describe('the timeline', () => {
  const hours = Array.from({ length: 2500 }, (_, hour) =>
    new Date(Date.parse('2026-06-01T00:00:00Z') + hour * 3_600_000).toISOString(),
  );

  it.each([1000, 400])('is read in pages when responses are limited to %i rows [S7.5] [R3]', async (cap) => {
    reply = keepFearGreed(hours, cap);
    const { fearGreed } = await fetchDashboard(client, FRIDAY_EVENING);
    expect(fearGreed.timeline.map((point) => point.created_at)).toEqual(hours);
    const asked = calls.filter(({ query }) => query.get('order')?.startsWith('created_at.asc'));
    expect(asked.map(({ query }) => Number(query.get('offset')))).toEqual(
      Array.from({ length: Math.ceil(2500 / cap) }, (_, page) => page * cap),
    );
    expect(asked[0]?.headers.get('prefer')).toBe('count=exact');
  });

  it('ends at an incomplete page if the backend states no total [R3]', async () => {
    const keep = keepFearGreed(hours);
    reply = (call) => ({ ...keep(call), headers: {} });
    const { fearGreed } = await fetchDashboard(client, FRIDAY_EVENING);
    expect(fearGreed.timeline).toHaveLength(2500);
  });
});

describe('failures of a read', () => {
  it('names a missing client or configuration [S8.1] [S8.2] [R18]', async () => {
    await expect(fetchDashboard(null, FRIDAY_EVENING)).rejects.toThrow('Supabase client not initialized');
    for (const options of [
      { supabaseUrl: '', anonKey: 'key' },
      { supabaseUrl: 'http://stub', anonKey: ' ' },
      { supabaseUrl: undefined, anonKey: undefined },
      { supabaseUrl: 'your-project-url', anonKey: 'key' },
      { supabaseUrl: 'file:///etc', anonKey: 'key' },
      { supabaseUrl: 'https://', anonKey: 'key' },
      { supabaseUrl: 'http://stub', anonKey: 'two\nlines' },
    ]) {
      expect(() => createTableClient(options)).toThrow(
        'Supabase is not configured. Please check your .env file.',
      );
    }
  });

  it('logs the server’s error and throws it [S8.3] [R12]', async () => {
    reply = ({ table }) =>
      table === 'market_breadth'
        ? {
            status: 401,
            body: { code: '42501', message: 'permission denied for table market_breadth', details: null },
          }
        : { body: [] };
    await expect(fetchDashboard(client, FRIDAY_EVENING)).rejects.toThrow(
      'permission denied for table market_breadth',
    );
    expect(logged).toHaveBeenCalledOnce();
    expect(JSON.stringify(logged.mock.calls)).toContain('42501');
  });

  it('throws the sentence of a backend that refuses the key, although it has no code', async () => {
    reply = () => ({ status: 401, body: { message: 'Invalid API key', hint: 'Double check.' } });
    await expect(fetchDashboard(client, FRIDAY_EVENING)).rejects.toThrow(/^Invalid API key$/);
  });

  it.each([
    ['a page of a proxy', { status: 502, body: '<html>\n<h1>Bad gateway</h1></html>' }],
    ['an error without a message', { status: 500, body: { code: 'XX000' } }],
    ['a response that is not a list', { body: { rows: [] } }],
    ['a response that is not JSON', { body: '<!doctype html>' }],
    ['an empty response', { status: 200 }],
  ])('%s fails with the general message [R18]', async (_, answer) => {
    reply = () => answer;
    await expect(fetchDashboard(client, FRIDAY_EVENING)).rejects.toThrow(/^Failed to fetch data$/);
  });

  it.each([
    ['never responds', () => new Promise<Response>(() => {})],
    [
      'stops in the middle of a response',
      async () => new Response(new ReadableStream({ start: (body) => body.enqueue(Buffer.from('[')) })),
    ],
  ])('end in a timeout for a backend that %s', async (_, answer) => {
    const limits: AbortController[] = [];
    const limited = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const limit = new AbortController();
      limits.push(limit);
      return limit.signal;
    });
    const slow = clientOf(async (_, init) => {
      const ended = new Promise<never>((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
      ended.catch(() => {});
      const response = await Promise.race([answer(), ended]);
      // The abort signal also ends the body, as in a browser.
      response.text = () => Promise.race([Response.prototype.text.call(response), ended]);
      return response;
    });
    const failure = expect(fetchDashboard(slow, FRIDAY_EVENING)).rejects.toThrow(/^Failed to fetch data$/);
    await new Promise(setImmediate);
    for (const limit of limits) limit.abort(new DOMException('It took too long.', 'TimeoutError'));
    await failure;
    expect(limited).toHaveBeenCalledWith(15_000);
    limited.mockRestore();
  });

  it('throws at once if the backend is unreachable [S8.7]', async () => {
    const away = createTableClient({ supabaseUrl: 'http://127.0.0.1:1', anonKey: 'key' });
    await expect(fetchDashboard(away, FRIDAY_EVENING)).rejects.toThrow(/^Failed to fetch data$/);
  });
});

describe('subscribing', () => {
  it('inserts only the address [S3.8] [S7.6]', async () => {
    reply = () => ({ status: 201 });
    await subscribe(client, '  reader@example.com ');
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ method: 'POST', table: 'email_subscribers' });
    expect(calls[0]?.query.toString()).toBe('');
    expect(calls[0]?.headers.get('prefer')).toBe('return=minimal');
    expect(JSON.parse(calls[0]?.body ?? '')).toEqual({ email: 'reader@example.com', is_active: true });
  });

  it('fails without a client or a backend [S8.1] [S8.5] [R18]', async () => {
    await expect(subscribe(null, 'a@b.c')).rejects.toThrow('Supabase client not initialized');
    const away = createTableClient({ supabaseUrl: 'http://127.0.0.1:1', anonKey: 'key' });
    await expect(subscribe(away, 'a@b.c')).rejects.toThrow(/^Failed to subscribe$/);
  });
});
