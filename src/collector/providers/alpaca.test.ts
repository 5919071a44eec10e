import { beforeEach, describe, expect, it } from 'vitest';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import { providerContext } from '#tests/support/provider-context.ts';
import type { Fault, FaultOptions } from '#tests/support/providers/faults.ts';
import { STUB_KEYS } from '#tests/support/providers/stubs.ts';
import { loopbackOfTheseTests, stubsOfTheseTests } from '#tests/support/servers-of-tests.ts';
import { createAlpaca } from './alpaca.ts';

const SYMBOLS = ['AAPL', 'BRK.B', 'JPM', 'MSFT', 'NVDA', 'XOM'];
const MEMBERS = SYMBOLS.map((symbol) => ({ symbol, name: symbol, sector: 'Financials' }));

/** Friday evening, and an hour after that day's opening bell. `stubClock` is the clock of the stubs. */
const EVENING = '2026-11-20T22:00:00Z';
const MORNING = '2026-11-20T15:30:00Z';
let stubClock = Date.parse(EVENING);

const stubs = stubsOfTheseTests({ members: MEMBERS, now: () => stubClock });
const alpaca = () => createAlpaca({ baseUrl: stubs.urls.alpaca, ...STUB_KEYS.alpaca });
beforeEach(() => {
  stubClock = Date.parse(EVENING);
});

const LAST_WEEK = { from: '2026-11-16', to: '2026-11-20' };
const DAYS = sessionsBetween(LAST_WEEK.from, LAST_WEEK.to);

async function readBars(
  now: string,
  { symbols = SYMBOLS, from = LAST_WEEK.from, to = LAST_WEEK.to, provider = alpaca() } = {},
) {
  const { rejected, ...at } = providerContext(now);
  const reading = await provider.readBars?.({ ...at, symbols, from, to });
  if (reading === undefined) throw new Error('Alpaca has bars.');
  return { ...reading, rejected: rejected() };
}

function fault(kind: Fault, options: FaultOptions = {}) {
  stubs.fault('alpaca', kind, options);
}

describe('daily bars', () => {
  it('have the symbol of the universe and the day in New York', async () => {
    const { bars, rejected, observedAt } = await readBars(EVENING, { symbols: ['AAPL', 'BRK-B'] });
    expect(bars.map(({ symbol, session }) => `${symbol} ${session}`)).toEqual(
      ['AAPL', 'BRK-B'].flatMap((symbol) => DAYS.map((session) => `${symbol} ${session}`)),
    );
    for (const { low, high, close, volume } of bars) {
      expect(low).toBeLessThanOrEqual(close);
      expect(high).toBeGreaterThanOrEqual(close);
      expect(volume).toBeGreaterThan(100_000);
    }
    expect(rejected).toEqual([]);
    expect(observedAt).toBe(Date.parse('2026-11-20T21:44:00Z'));
    const asked = new URL(stubs.asked()[0]?.url ?? '', 'http://x').searchParams;
    expect(Object.fromEntries(asked)).toEqual({
      symbols: 'AAPL,BRK.B',
      timeframe: '1Day',
      adjustment: 'all',
      feed: 'sip',
      start: '2026-11-16T05:00:00.000Z',
      end: '2026-11-20T21:44:00.000Z',
      limit: '10000',
    });
  });

  it('keep their days over a change to summer time on several pages', async () => {
    const { bars, rejected } = await readBars(EVENING, { from: '2016-01-04', symbols: SYMBOLS.slice(0, 5) });
    const sessions = sessionsBetween('2016-01-04', '2026-11-20');
    expect(bars.filter(({ symbol }) => symbol === 'MSFT').map(({ session }) => session)).toEqual(sessions);
    expect(bars).toHaveLength(5 * sessions.length);
    expect(stubs.requests().alpaca).toBe(Math.ceil((5 * sessions.length) / 10_000));
    expect(rejected).toEqual([]);
  });

  it('end 16 minutes ago in an open session', async () => {
    stubClock = Date.parse(MORNING);
    const open = await readBars(MORNING);
    expect(open.bars.at(-1)?.session).toBe('2026-11-20');
    expect(open.observedAt).toBe(Date.parse('2026-11-20T15:14:00Z'));
    const closed = await readBars(MORNING, { to: '2026-11-19' });
    expect(closed.bars.at(-1)?.session).toBe('2026-11-19');
  });

  it('are refused with advice if our clock is ahead of Alpaca’s', async () => {
    stubClock = Date.parse('2026-11-20T15:20:00Z');
    const request = { ...providerContext(MORNING), ...LAST_WEEK, symbols: SYMBOLS };
    await expect(alpaca().readBars?.(request)).rejects.toMatchObject({
      failure: 'refused',
      message:
        "Alpaca refused data as too recent; check this computer's clock and the account's market data plan.",
    });
    expect(stubs.asked().map(({ status }) => status)).toEqual([403]);
    expect(request.http.calls()).toMatchObject([{ requests: 1, failures: { refused: 1 } }]);
  });

  it('leave out symbols that Alpaca does not have', async () => {
    const wrong = await readBars(EVENING, { symbols: ['AAPL', 'NO1', 'MSFT', 'TOOLONG'] });
    expect(new Set(wrong.bars.map(({ symbol }) => symbol))).toEqual(new Set(['AAPL', 'MSFT']));
    expect(stubs.requests().alpaca).toBe(3);
    const gone = await readBars(EVENING, { symbols: ['AAPL', 'ZZZ'] });
    expect(new Set(gone.bars.map(({ symbol }) => symbol))).toEqual(new Set(['AAPL']));
    expect((await readBars(EVENING, { symbols: ['TOOLONG'] })).bars).toEqual([]);
    // A comma or a blank would split these into other symbols, which fails the whole request.
    const odd = await readBars(EVENING, { symbols: ['AAPL', 'JPM,XOM', 'BRK B', ''] });
    expect(new Set(odd.bars.map(({ symbol }) => symbol))).toEqual(new Set(['AAPL']));
    expect(odd.bars).toHaveLength(5);
  });
});

it.each([
  ['nulls', 'JPM on 2026-11-20: no open', 29],
  ['zero price', 'JPM on 2026-11-20: the open is zero', 29],
  ['negative price', 'JPM on 2026-11-20: the open is negative', 29],
  ['high below low', 'JPM on 2026-11-20: the high is below the low', 29],
  ['wrong types', 'JPM on 2026-11-20: the open is not a number', 29],
  ['future date', 'JPM on 2026-11-23: the day is in the future', 30],
  ['no session', 'JPM on 2026-11-14: the day is not a session of the exchange', 30],
  ['repeated day', 'JPM on 2026-11-20: two different bars for one day', 30],
] as const)('invalid values reject that bar only, with its name: %s [T21]', async (kind, message, left) => {
  const before = await readBars(EVENING);
  fault(kind, { symbols: ['JPM'] });
  const { bars, rejected } = await readBars(EVENING);
  expect(rejected).toEqual([`Alpaca, ${message}`]);
  expect(bars).toHaveLength(left);
  if (left === 30) expect(bars).toEqual(before.bars);
});

const server = loopbackOfTheseTests();
const odd = () => createAlpaca({ baseUrl: server.url, keyId: 'k', secretKey: 's' });

describe('responses that no stub sends', () => {
  const respond = (body: unknown, status = 200) => {
    server.asked.length = 0;
    server.handler = (_, response) => void response.writeHead(status).end(JSON.stringify(body));
  };
  const read = (symbols = ['AAPL']) => readBars(EVENING, { provider: odd(), symbols });
  const bar = (t: unknown) => ({ t, o: 1, h: 1, l: 1, c: 1, v: 1 });

  it.each([5e-324, 1e-5, 1e7, 1e308])('rejects a price of %d', async (price) => {
    const prices = { o: price, h: price, l: price, c: price };
    respond({ bars: { AAPL: [{ ...bar('2026-11-20T05:00:00Z'), ...prices }] } });
    const { bars, rejected } = await read();
    expect(bars).toEqual([]);
    expect(rejected[0]).toMatch(/^Alpaca, AAPL on 2026-11-20: the open of .* is out of bounds$/);
  });

  it('fail without any bar of the requested days', async () => {
    fault('empty');
    await expect(readBars(EVENING)).rejects.toMatchObject({ provider: 'alpaca', failure: 'empty' });
  });

  it('can have null instead of bars', async () => {
    respond({ bars: null, next_page_token: null });
    expect(await read()).toMatchObject({ bars: [] });
    respond({ bars: { AAPL: null } });
    expect(await read()).toMatchObject({ bars: [] });
  });

  it('are an error if pages repeat or never end', async () => {
    respond({ bars: {}, next_page_token: 'again' });
    await expect(read()).rejects.toMatchObject({ failure: 'unreadable' });
    expect(server.asked).toHaveLength(2);
    respond({});
    let page = 0;
    server.handler = (_, response) => {
      page += 1;
      response.end(JSON.stringify({ bars: {}, next_page_token: String(page) }));
    };
    await expect(read()).rejects.toMatchObject({ failure: 'unreadable' });
    expect(page).toBe(101);
  });

  it('are an error if the time of a bar is not midnight in New York', async () => {
    for (const time of ['2026-11-20T00:00:00Z', '2026-11-20T04:00:00Z', '2026-11-20', 7, null]) {
      respond({ bars: { AAPL: [bar(time), bar('2026-11-19T05:00:00Z'), null] } });
      const { bars, rejected } = await read();
      expect(bars.map(({ session }) => session)).toEqual(['2026-11-19']);
      expect(rejected).toEqual(Array(2).fill('Alpaca, AAPL: its time is not midnight in New York'));
    }
  });

  it.each([
    [[]],
    ['text'],
    [null],
    [{ bars: { AAPL: {} } }],
    [{ bars: { MSFT: [] } }],
    [{ bars: {}, next_page_token: 7 }],
  ])('fail with an unknown format: %j', async (body) => {
    respond(body);
    await expect(read()).rejects.toMatchObject({ failure: 'unreadable' });
  });

  it('cause an error that names no requested symbol', async () => {
    respond({ message: 'invalid symbol: ELSE' }, 400);
    await expect(read()).rejects.toMatchObject({ failure: 'refused' });
    respond({ code: 42_210_000, message: 'subscription does not permit querying recent SIP data' }, 403);
    await expect(read()).rejects.toMatchObject({ failure: 'refused' });
    expect(server.asked).toHaveLength(1);
  });
});

it('the Treasury fund is a series of adjusted closes', async () => {
  const request = { ...providerContext(EVENING), ...LAST_WEEK };
  const read = async () =>
    alpaca().readSeries?.({ ...request, series: ['treasury_fund_close', 'vix_close'] });
  const series = await read();
  expect([...(series?.keys() ?? [])]).toEqual(['treasury_fund_close']);
  expect([...(series?.get('treasury_fund_close')?.keys() ?? [])]).toEqual(DAYS);
  fault('nulls');
  expect((await read())?.get('treasury_fund_close')?.size).toBe(4);
  fault('empty');
  await expect(read()).rejects.toMatchObject({ failure: 'empty' });
});

it('the last minutes have NaN for a missing minute', async () => {
  const bar = (time: string, c: unknown) => ({ t: `2026-11-20T${time}:00Z`, c });
  const bars = {
    A: [bar('20:57', 1), bar('20:58', 2), bar('20:59', 3)],
    B: [bar('20:57', 1), bar('20:59', 3)],
    C: [bar('20:58', 2), bar('20:59', null)],
    D: [bar('20:58', 2), bar('20:59', 3), bar('21:00', 9)],
    E: [bar('20:58', 2), bar('20:59', 3), bar('20:59', 1)],
    F: [bar('20:58', 2), bar('20:59', 3e9)],
  };
  server.handler = (_, response) => void response.end(JSON.stringify({ bars }));
  const { rejected, ...at } = providerContext(EVENING);
  const minutes = await odd().readMinutes?.({
    ...at,
    symbols: ['A', 'B', 'C', 'D', 'E', 'F'],
    until: Date.parse('2026-11-20T21:00:00Z'),
  });
  expect([...(minutes?.last ?? [])]).toEqual([3, 3, 2, 3, 3, Number.NaN]);
  expect([...(minutes?.before ?? [])]).toEqual([2, Number.NaN, Number.NaN, 2, 2, Number.NaN]);
  expect(rejected()).toEqual([
    'Alpaca, C: a minute bar is unreadable',
    'Alpaca, D: a minute bar is unreadable',
    'Alpaca, E: two different bars for one minute',
    'Alpaca, F: a move from 2 to 3000000000 within a minute is implausible',
  ]);
  expect(server.asked[0]).toContain('end=2026-11-20T20%3A59%3A59.999Z');
});
