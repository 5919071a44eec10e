import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import { asking } from '#tests/support/asking.ts';
import { type Loopback, startLoopback } from '#tests/support/loopback.ts';
import type { Fault, FaultOptions } from '#tests/support/providers/faults.ts';
import { type ProviderStubs, STUB_KEYS, startProviderStubs } from '#tests/support/providers/stubs.ts';
import { createAlpaca } from './alpaca.ts';
import type { Provider } from './provider.ts';

const SYMBOLS = ['AAPL', 'BRK.B', 'JPM', 'MSFT', 'NVDA', 'XOM'];
const MEMBERS = SYMBOLS.map((symbol) => ({ symbol, name: symbol, sector: 'Financials' }));

/** Friday evening; an hour after the opening bell on that day; and the clock of the stubs. */
const EVENING = '2026-11-20T22:00:00Z';
const MORNING = '2026-11-20T15:30:00Z';
let theirs = Date.parse(EVENING);

let stubs: ProviderStubs;
let alpaca: Provider;
beforeAll(async () => {
  stubs = await startProviderStubs({ members: MEMBERS, now: () => theirs });
  alpaca = createAlpaca({ baseUrl: stubs.urls.alpaca, ...STUB_KEYS.alpaca });
});
afterAll(() => stubs.close());
beforeEach(() => {
  stubs.reset();
  theirs = Date.parse(EVENING);
});

const LAST_WEEK = { from: '2026-11-16', to: '2026-11-20' };

async function readBars(
  now: string,
  { symbols = SYMBOLS, from = LAST_WEEK.from, to = LAST_WEEK.to, provider = alpaca } = {},
) {
  const { refused, ...at } = asking(now);
  const reading = await provider.readBars?.({ ...at, symbols, from, to });
  if (reading === undefined) throw new Error('Alpaca gives bars.');
  return { ...reading, refused: refused() };
}

function fault(kind: Fault, options: FaultOptions = {}) {
  stubs.fault('alpaca', kind, options);
}

describe('daily bars', () => {
  it('come under the spelling of the universe and the day in New York', async () => {
    const { bars, refused, observedAt } = await readBars(EVENING, { symbols: ['AAPL', 'BRK-B'] });
    expect(bars.map(({ symbol, session }) => `${symbol} ${session}`)).toEqual(
      ['AAPL', 'BRK-B'].flatMap((symbol) =>
        sessionsBetween('2026-11-16', '2026-11-20').map((session) => `${symbol} ${session}`),
      ),
    );
    for (const { low, high, close, volume } of bars) {
      expect(low).toBeLessThanOrEqual(close);
      expect(high).toBeGreaterThanOrEqual(close);
      expect(volume).toBeGreaterThan(100_000);
    }
    expect(refused).toEqual([]);
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

  it('keep to their days over a change of the clocks, and come page by page', async () => {
    const { bars, refused } = await readBars(EVENING, { from: '2016-01-04', symbols: SYMBOLS.slice(0, 5) });
    const sessions = sessionsBetween('2016-01-04', '2026-11-20');
    expect(bars.filter(({ symbol }) => symbol === 'MSFT').map(({ session }) => session)).toEqual(sessions);
    expect(bars).toHaveLength(5 * sessions.length);
    expect(stubs.requests().alpaca).toBe(Math.ceil((5 * sessions.length) / 10_000));
    expect(refused).toEqual([]);
  });

  it('of a session under way reach to 16 minutes ago, and what is asked for ends where it was asked to', async () => {
    theirs = Date.parse(MORNING);
    const open = await readBars(MORNING);
    expect(open.bars.at(-1)?.session).toBe('2026-11-20');
    expect(open.observedAt).toBe(Date.parse('2026-11-20T15:14:00Z'));
    const closed = await readBars(MORNING, { to: '2026-11-19' });
    expect(closed.bars.at(-1)?.session).toBe('2026-11-19');
  });

  it('come from a clock ten minutes behind ours, by its own time', async () => {
    theirs = Date.parse('2026-11-20T15:20:00Z');
    const { bars, observedAt } = await readBars(MORNING);
    expect(bars).toHaveLength(30);
    expect(Math.abs(observedAt - Date.parse('2026-11-20T15:04:00Z'))).toBeLessThan(1_000);
    expect(stubs.asked().map(({ status }) => status)).toEqual([403, 200]);
  });

  it('leave a symbol out that Alpaca does not take, or does not have', async () => {
    const wrong = await readBars(EVENING, { symbols: ['AAPL', 'NO1', 'MSFT', 'TOOLONG'] });
    expect(new Set(wrong.bars.map(({ symbol }) => symbol))).toEqual(new Set(['AAPL', 'MSFT']));
    expect(stubs.requests().alpaca).toBe(3);
    const gone = await readBars(EVENING, { symbols: ['AAPL', 'ZZZ'] });
    expect(new Set(gone.bars.map(({ symbol }) => symbol))).toEqual(new Set(['AAPL']));
    expect((await readBars(EVENING, { symbols: ['TOOLONG'] })).bars).toEqual([]);
    // By their commas and blanks these would be other symbols than were asked for, which costs all of the request.
    const odd = await readBars(EVENING, { symbols: ['AAPL', 'JPM,XOM', 'BRK B', ''] });
    expect(new Set(odd.bars.map(({ symbol }) => symbol))).toEqual(new Set(['AAPL']));
    expect(odd.bars).toHaveLength(5);
  });
});

describe('values that cannot be right', () => {
  it.each([
    ['nulls', 'Alpaca, JPM on 2026-11-20: there is no open'],
    ['zero price', 'Alpaca, JPM on 2026-11-20: the open is zero'],
    ['negative price', 'Alpaca, JPM on 2026-11-20: the open is negative'],
    ['high below low', 'Alpaca, JPM on 2026-11-20: the high is below the low'],
    ['wrong types', 'Alpaca, JPM on 2026-11-20: the open is not a number'],
  ] as const)('%s are refused by name, and cost that bar only', async (kind, message) => {
    fault(kind, { symbols: ['JPM'] });
    const { bars, refused } = await readBars(EVENING);
    expect(refused).toEqual([message]);
    expect(bars).toHaveLength(29);
  });

  it('a value beyond all bounds, a day to come and a day off are refused', async () => {
    fault('absurd value', { symbols: ['JPM'] });
    expect((await readBars(EVENING)).refused[0]).toMatch(
      /^Alpaca, JPM on 2026-11-20: the open of .* is beyond/,
    );
    fault('future date', { symbols: ['JPM'] });
    expect((await readBars(EVENING)).refused).toEqual([
      'Alpaca, JPM on 2026-11-23: that day is still to come',
    ]);
    fault('no session', { symbols: ['JPM'] });
    expect((await readBars(EVENING)).refused).toEqual([
      'Alpaca, JPM on 2026-11-14: that day is no session of the exchange',
    ]);
  });

  it('of a repeated day the first stays', async () => {
    const before = await readBars(EVENING);
    fault('repeated day', { symbols: ['JPM'] });
    const { bars, refused } = await readBars(EVENING);
    expect(bars).toEqual(before.bars);
    expect(refused).toEqual(['Alpaca, JPM on 2026-11-20: a second bar of that day says something else']);
  });
});

describe('what is no answer', () => {
  it.each([
    ['html', 'unreadable'],
    ['truncated', 'unreadable'],
    ['no body', 'unreadable'],
    ['wrong shape', 'unreadable'],
    ['empty', 'empty'],
    ['redirect', 'refused'],
    ['404', 'refused'],
    ['500', 'server error'],
    ['429', 'rate limited'],
    ['closes', 'network'],
  ] as const)('%s fails as %s', async (kind, failure) => {
    fault(kind);
    await expect(readBars(EVENING)).rejects.toMatchObject({ provider: 'alpaca', failure });
  });

  it.each(['401', '403'] as const)('%s for the keys is asked once in a run', async (kind) => {
    fault(kind);
    const { problems, http, now } = asking(EVENING);
    const request = { ...LAST_WEEK, http, now, problems };
    for (let batch = 0; batch < 3; batch += 1) {
      await expect(alpaca.readBars?.({ ...request, symbols: SYMBOLS })).rejects.toMatchObject({
        failure: 'refused',
        message: `Alpaca refused the request (${kind}); check ALPACA_KEY_ID and ALPACA_SECRET_KEY.`,
      });
    }
    expect(stubs.requests().alpaca).toBe(1);
  });

  it('wrong keys are refused without a word of them', async () => {
    const other = createAlpaca({ baseUrl: stubs.urls.alpaca, keyId: 'PKOTHER', secretKey: 'do-not-tell' });
    const failed: unknown = await readBars(EVENING, { provider: other }).catch((error) => error);
    expect(String(failed)).toMatch(/^ProviderError: Alpaca refused the request \(401\)/);
    expect(String(failed)).not.toMatch(/PKOTHER|do-not-tell/);
  });
});

describe('answers no stub gives', () => {
  let server: Loopback;
  let odd: Provider;
  beforeAll(async () => {
    server = await startLoopback();
    odd = createAlpaca({ baseUrl: server.url, keyId: 'k', secretKey: 's' });
  });
  afterAll(() => server.close());
  const say = (answer: unknown, status = 200) => {
    server.asked.length = 0;
    server.handler = (_, response) => void response.writeHead(status).end(JSON.stringify(answer));
  };
  const read = (symbols = ['AAPL']) => readBars(EVENING, { provider: odd, symbols });
  const bar = (t: unknown) => ({ t, o: 1, h: 1, l: 1, c: 1, v: 1 });

  it.each([5e-324, 1e-5, 1e7, 1e308])('a price of %d is beyond all bounds', async (price) => {
    say({ bars: { AAPL: [{ t: '2026-11-20T05:00:00Z', o: price, h: price, l: price, c: price, v: 1 }] } });
    const { bars, refused } = await read();
    expect(bars).toEqual([]);
    expect(refused[0]).toMatch(/^Alpaca, AAPL on 2026-11-20: the open of .* is beyond all bounds$/);
  });

  it('no bars are null, in the answer or of a symbol', async () => {
    say({ bars: null, next_page_token: null });
    expect(await read()).toMatchObject({ bars: [] });
    say({ bars: { AAPL: null } });
    expect(await read()).toMatchObject({ bars: [] });
  });

  it('pages that repeat end, and so do those that never do', async () => {
    say({ bars: {}, next_page_token: 'again' });
    await expect(read()).rejects.toMatchObject({ failure: 'unreadable' });
    expect(server.asked).toHaveLength(2);
    say({});
    let page = 0;
    server.handler = (_, response) => {
      page += 1;
      response.end(JSON.stringify({ bars: {}, next_page_token: String(page) }));
    };
    await expect(read()).rejects.toMatchObject({ failure: 'unreadable' });
    expect(page).toBe(101);
  });

  it('a bar stamped with another time than midnight in New York is of no day', async () => {
    for (const time of ['2026-11-20T00:00:00Z', '2026-11-20T04:00:00Z', '2026-11-20', 7, null]) {
      say({ bars: { AAPL: [bar(time), bar('2026-11-19T05:00:00Z'), null] } });
      const { bars, refused } = await read();
      expect(bars.map(({ session }) => session)).toEqual(['2026-11-19']);
      expect(refused).toEqual(Array(2).fill('Alpaca, AAPL: its time is not the start of a day in New York'));
    }
  });

  it.each([
    [[]],
    ['text'],
    [null],
    [{ bars: { AAPL: {} } }],
    [{ bars: { MSFT: [] } }],
    [{ bars: {}, next_page_token: 7 }],
  ])('%j is not of a known form', async (answer) => {
    say(answer);
    await expect(read()).rejects.toMatchObject({ failure: 'unreadable' });
  });

  it('a refusal that names no symbol asked for ends the request', async () => {
    say({ message: 'invalid symbol: ELSE' }, 400);
    await expect(read()).rejects.toMatchObject({ failure: 'refused' });
    say({ code: 42_210_000, message: 'subscription does not permit querying recent SIP data' }, 403);
    await expect(read()).rejects.toMatchObject({ failure: 'refused' });
    expect(server.asked).toHaveLength(1);
  });
});

describe('the Treasury fund', () => {
  it('is a series of its adjusted closes', async () => {
    const at = asking(EVENING);
    const series = await alpaca.readSeries?.({
      ...at,
      ...LAST_WEEK,
      series: ['treasury_fund_close', 'vix_close'],
    });
    expect([...(series?.keys() ?? [])]).toEqual(['treasury_fund_close']);
    expect([...(series?.get('treasury_fund_close')?.keys() ?? [])]).toEqual(
      sessionsBetween('2026-11-16', '2026-11-20'),
    );
    fault('nulls');
    const nulls = await alpaca.readSeries?.({ ...at, ...LAST_WEEK, series: ['treasury_fund_close'] });
    expect(nulls?.get('treasury_fund_close')?.size).toBe(4);
    fault('empty');
    await expect(
      alpaca.readSeries?.({ ...at, ...LAST_WEEK, series: ['treasury_fund_close'] }),
    ).rejects.toMatchObject({ failure: 'empty' });
  });
});

describe('the last minutes', () => {
  it('are the newest close of each symbol and that of the minute before it', async () => {
    theirs = Date.parse(MORNING);
    const minutes = await alpaca.readMinutes?.({
      ...asking(MORNING),
      symbols: [...SYMBOLS, 'ZZZ', 'TOOLONG'],
      until: Date.parse(MORNING),
    });
    const { last, before } = minutes ?? { last: new Float64Array(), before: new Float64Array() };
    expect([...last.slice(0, 6)].every((close) => close > 0)).toBe(true);
    expect([...before.slice(0, 6)].filter((close) => close > 0).length).toBeGreaterThan(3);
    expect([...last.slice(6), ...before.slice(6)]).toEqual(Array(4).fill(Number.NaN));
  });

  it('are NaN where a minute is missing, and are not looked for after `until`', async () => {
    const server = await startLoopback();
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
    const { refused, ...at } = asking(EVENING);
    const minutes = await createAlpaca({ baseUrl: server.url, keyId: 'k', secretKey: 's' }).readMinutes?.({
      ...at,
      symbols: ['A', 'B', 'C', 'D', 'E', 'F'],
      until: Date.parse('2026-11-20T21:00:00Z'),
    });
    await server.close();
    expect([...(minutes?.last ?? [])]).toEqual([3, 3, 2, 3, 3, Number.NaN]);
    expect([...(minutes?.before ?? [])]).toEqual([2, Number.NaN, Number.NaN, 2, 2, Number.NaN]);
    expect(refused()).toEqual([
      'Alpaca, C: a bar of a minute cannot be read',
      'Alpaca, D: a bar of a minute cannot be read',
      'Alpaca, E: a second bar of a minute says something else',
      'Alpaca, F: 3000000000 a minute after 2 is more of a move than there can be',
    ]);
    expect(server.asked[0]).toContain('end=2026-11-20T20%3A59%3A59.999Z');
  });
});
