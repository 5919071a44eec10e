import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sessionOpen, sessionsBetween } from '#domain/calendar/sessions.ts';
import { asking } from '#tests/support/asking.ts';
import { type Loopback, startLoopback } from '#tests/support/loopback.ts';
import type { Fault, FaultOptions } from '#tests/support/providers/faults.ts';
import { type ProviderStubs, startProviderStubs } from '#tests/support/providers/stubs.ts';
import type { Provider, SeriesRequest } from './provider.ts';
import { createYahoo } from './yahoo.ts';

const MEMBERS = ['AAPL', 'BRK.B'].map((symbol) => ({ symbol, name: symbol, sector: 'Financials' }));
const EVENING = '2026-11-20T22:00:00Z';
const MORNING = '2026-11-20T15:30:00Z';
const LAST_WEEK = { from: '2026-11-16', to: '2026-11-20' };
const DAYS = sessionsBetween('2026-11-16', '2026-11-20');
let theirs = Date.parse(EVENING);

let stubs: ProviderStubs;
let yahoo: Provider;
let server: Loopback;
let odd: Provider;
beforeAll(async () => {
  stubs = await startProviderStubs({ members: MEMBERS, now: () => theirs });
  yahoo = createYahoo({ baseUrl: stubs.urls.yahoo });
  server = await startLoopback();
  odd = createYahoo({ baseUrl: server.url });
});
afterAll(() => Promise.all([stubs.close(), server.close()]));
beforeEach(() => {
  stubs.reset();
  theirs = Date.parse(EVENING);
});

async function readBars(
  now: string,
  { symbols = ['AAPL'], from = LAST_WEEK.from, to = LAST_WEEK.to, provider = yahoo } = {},
) {
  const { refused, ...at } = asking(now);
  const reading = await provider.readBars?.({ ...at, symbols, from, to });
  if (reading === undefined) throw new Error('Yahoo gives bars.');
  return { ...reading, refused: refused() };
}

async function readSeries(now: string, series: SeriesRequest['series'], provider = yahoo) {
  const at = asking(now);
  const values = await provider.readSeries?.({ ...at, ...LAST_WEEK, series });
  return { values: values ?? new Map(), refused: at.refused(), notes: at.problems.notes() };
}

const fault = (kind: Fault, options: FaultOptions = {}) => stubs.fault('yahoo', kind, options);
const bell = (session: string, after = 0) => sessionOpen(session) / 1000 + after;

/** A chart of AAPL with a row a timestamp, `[open, high, low, close, volume, adjusted close]`. */
function chart(rows: readonly [number, ...unknown[]][], meta: object = {}) {
  const column = (at: number) => rows.map((row) => row[at + 1]);
  const quote = { open: column(0), high: column(1), low: column(2), close: column(3), volume: column(4) };
  return {
    chart: {
      result: [
        {
          meta: {
            symbol: 'AAPL',
            dataGranularity: '1d',
            regularMarketTime: bell('2026-11-20', 23_401),
            ...meta,
          },
          timestamp: rows.map(([at]) => at),
          indicators: { quote: [quote], adjclose: [{ adjclose: column(5) }] },
        },
      ],
      error: null,
    },
  };
}

async function readChart(answer: unknown, now = EVENING, status = 200) {
  server.handler = (_, response) => void response.writeHead(status).end(JSON.stringify(answer));
  return readBars(now, { provider: odd });
}

describe('daily bars', () => {
  it('come under the spelling of the universe, a request a symbol, the same as from anyone else', async () => {
    const { bars, refused, observedAt } = await readBars(EVENING, { symbols: ['AAPL', 'BRK.B'] });
    expect(bars.map(({ symbol, session }) => `${symbol} ${session}`)).toEqual(
      ['AAPL', 'BRK.B'].flatMap((symbol) => DAYS.map((session) => `${symbol} ${session}`)),
    );
    expect(refused).toEqual([]);
    expect(observedAt).toBe(Date.parse('2026-11-20T21:00:00Z'));
    const days = `period1=${Date.parse('2026-11-16T05:00Z') / 1000}&period2=${Date.parse('2026-11-21T05:00Z') / 1000}`;
    expect(stubs.asked().map(({ url }) => url)).toEqual(
      ['AAPL', 'BRK-B'].map((symbol) => `/v8/finance/chart/${symbol}?interval=1d&${days}`),
    );
  });

  it('keep to their days over a change of the clocks', async () => {
    const { bars, refused } = await readBars(EVENING, { from: '2024-01-02' });
    expect(bars.map(({ session }) => session)).toEqual(sessionsBetween('2024-01-02', '2026-11-20'));
    expect(refused).toEqual([]);
  });

  it('are adjusted for dividends by the ratio of the two closes, the volume left as it is', async () => {
    const { bars } = await readChart(chart([[bell('2026-11-19'), 10, 12, 8, 11, 500, 5.5]]));
    expect(bars).toEqual([
      { symbol: 'AAPL', session: '2026-11-19', open: 5, high: 6, low: 4, close: 5.5, volume: 500 },
    ]);
  });

  it('are without the noise of 32-bit floats', async () => {
    const day = bell('2026-11-19');
    const { bars } = await readChart(
      chart([
        [day, 304.3900146484375, 306.6400146484375, 304, 306.1199951171875, 1_303_812_345, 306.1199951171875],
      ]),
    );
    expect(bars).toMatchObject([
      { open: 304.39, high: 306.64, low: 304, close: 306.12, volume: 1_303_812_345 },
    ]);
  });

  it('of a session under way reach to the last trade, and stop where they were asked to', async () => {
    theirs = Date.parse(MORNING);
    const open = await readBars(MORNING);
    expect(open.bars.at(-1)?.session).toBe('2026-11-20');
    expect(open.observedAt).toBe(Date.parse(MORNING));
    const closed = await readBars(MORNING, { to: '2026-11-19' });
    expect(closed.bars.at(-1)?.session).toBe('2026-11-19');
    expect(closed.refused).toEqual([]);
  });

  it('of a session under way are no close, whatever our clock says', async () => {
    const half: [number, ...unknown[]] = [bell('2026-11-20', 5000), 1, 1, 1, 1, 1, 1];
    const before: [number, ...unknown[]] = [bell('2026-11-19'), 1, 1, 1, 1, 1, 1];
    for (const regularMarketTime of [bell('2026-11-20', 5000), undefined]) {
      const { bars, refused } = await readChart(chart([before, half], { regularMarketTime }));
      expect(bars.map(({ session }) => session)).toEqual(['2026-11-19']);
      expect(refused).toEqual(['Yahoo, AAPL on 2026-11-20: the last value is of before the closing bell']);
    }
    // Half an hour after the bell a value is still one of the session under way, for whoever's clock is wrong.
    const early = '2026-11-20T21:20:00Z';
    expect((await readChart(chart([before, half], { regularMarketTime: half[0] }), early)).bars).toHaveLength(
      2,
    );
  });

  it.each([
    ['Not Found', 'No data found, symbol may be delisted', 404],
    ['Bad Request', "Data doesn't exist for startDate = 1, endDate = 2", 400],
  ])('of a symbol it has nothing of (%s) are none', async (code, description, status) => {
    const answer = { chart: { result: null, error: { code, description } } };
    expect(await readChart(answer, EVENING, status)).toMatchObject({ bars: [] });
    expect(await readChart(chart([]))).toMatchObject({ bars: [] });
  });
});

describe('values that cannot be right', () => {
  it.each([
    ['zero price', 'Yahoo, AAPL on 2026-11-19: the open is zero'],
    ['negative price', 'Yahoo, AAPL on 2026-11-19: the open is negative'],
    ['high below low', 'Yahoo, AAPL on 2026-11-19: the high is below the low'],
    ['wrong types', 'Yahoo, AAPL on 2026-11-19: the open is not a number'],
    ['nulls', 'Yahoo, AAPL on 2026-11-19: there is no open'],
  ] as const)('%s are refused by name', async (kind, message) => {
    fault(kind, { session: '2026-11-19' });
    const { bars, refused } = await readBars(EVENING);
    expect(refused).toEqual([message]);
    expect(bars.map(({ session }) => session)).toEqual(DAYS.filter((day) => day !== '2026-11-19'));
  });

  it('an empty row at the end is that of a day without values yet, and nothing wrong', async () => {
    fault('nulls');
    const { bars, refused } = await readBars(EVENING);
    expect(bars).toHaveLength(4);
    expect(refused).toEqual([]);
  });

  it('a row without one of its two closes is refused', async () => {
    const day = bell('2026-11-19');
    const { refused } = await readChart(
      chart([
        [day, 1, 1, 1, 1, 1, null],
        [day, 1, 1, 1, null, 1, 1],
      ]),
    );
    expect(refused).toEqual(Array(2).fill('Yahoo, AAPL on 2026-11-19: there is no close'));
  });

  it('a value beyond all bounds, a day to come and a day off are refused', async () => {
    fault('absurd value');
    expect((await readBars(EVENING)).refused[0]).toMatch(/the open of .* is beyond all bounds/);
    fault('future date');
    expect((await readBars(EVENING)).refused).toEqual([
      'Yahoo, AAPL on 2026-11-23: that day is still to come',
    ]);
    fault('no session');
    expect((await readBars(EVENING)).refused).toEqual([
      'Yahoo, AAPL on 2026-11-14: that day is no session of the exchange',
    ]);
  });

  it('of a day that comes twice the first stays, and a second that says the same is no matter', async () => {
    const row = (close: number): [number, ...unknown[]] => [
      bell('2026-11-20', 60 * close),
      1,
      9,
      1,
      close,
      1,
      close,
    ];
    const twice = await readChart(chart([row(2), row(3)]));
    expect(twice.bars.map(({ close }) => close)).toEqual([2]);
    expect(twice.refused).toEqual([
      'Yahoo, AAPL on 2026-11-20: a second bar of that day says something else',
    ]);
    expect((await readChart(chart([row(2), row(2)]))).refused).toEqual([]);
    const empty: [number, ...unknown[]] = [bell('2026-11-20'), null, null, null, null, null, null];
    expect((await readChart(chart([empty, row(3)]))).bars.map(({ close }) => close)).toEqual([3]);
  });
});

describe('what is no answer', () => {
  it.each([
    ['html', 'unreadable'],
    ['truncated', 'unreadable'],
    ['no body', 'unreadable'],
    ['wrong shape', 'unreadable'],
    ['redirect', 'refused'],
    ['401', 'refused'],
    ['403', 'refused'],
    ['503', 'server error'],
    ['429', 'rate limited'],
    ['breaks off', 'network'],
  ] as const)('%s fails as %s', async (kind, failure) => {
    fault(kind);
    await expect(readBars(EVENING)).rejects.toMatchObject({ provider: 'yahoo', failure });
  });

  it.each([
    [null],
    [{ chart: { result: [{}], error: null } }],
    [{ chart: { result: null, error: { code: 'Internal', description: 'key=secret' } } }],
    [chart([], { symbol: 'MSFT' })],
    [chart([], { dataGranularity: '1mo' })],
    [chart([[-5, 1, 1, 1, 1, 1, 1]])],
  ])('%j is not of a known form', async (answer) => {
    await expect(readChart(answer)).rejects.toMatchObject({
      failure: 'unreadable',
      message: 'Yahoo answered in a form that is not known; docs/operations.md says what to do.',
    });
  });

  it('a block is met once, by whichever symbol', async () => {
    fault('403');
    const { problems, http, now } = asking(EVENING);
    for (const symbol of ['AAPL', 'BRK.B']) {
      const asked = yahoo.readBars?.({ ...LAST_WEEK, http, now, problems, symbols: [symbol] });
      await expect(asked).rejects.toMatchObject({ failure: 'refused', status: 403 });
    }
    expect(stubs.requests().yahoo).toBe(1);
  });
});

describe('indices and the Treasury fund', () => {
  it('are series of their closes', async () => {
    const names = [
      'sp500_close',
      'nasdaq_composite_close',
      'dow_jones_close',
      'vix_close',
      'treasury_fund_close',
    ] as const;
    const { values, refused } = await readSeries(EVENING, [...names, 'put_call_total']);
    expect([...values.keys()]).toEqual(names);
    for (const name of names) expect([...(values.get(name)?.keys() ?? [])]).toEqual(DAYS);
    expect(refused).toEqual([]);
    expect(stubs.asked()[0]?.url).toMatch(/^\/v8\/finance\/chart\/%5EGSPC\?/);
  });

  it('do not go down with one of them, nor with one value', async () => {
    fault('html', { path: '%5EVIX' });
    const { values, notes } = await readSeries(EVENING, ['vix_close', 'dow_jones_close']);
    expect([...values.keys()]).toEqual(['dow_jones_close']);
    expect(notes).toMatchObject([{ kind: 'provider', count: 1 }]);
    await expect(readSeries(EVENING, ['vix_close'])).rejects.toMatchObject({ failure: 'unreadable' });
    fault('zero price');
    const zero = await readSeries(EVENING, ['dow_jones_close']);
    expect([...(zero.values.get('dow_jones_close')?.keys() ?? [])]).toEqual(DAYS.slice(0, 4));
    expect(zero.refused).toEqual(["Yahoo, ^DJI on 2026-11-20: '0' is not between 1 and 1000000"]);
  });

  it('are those of the moment while the exchange is open, and no close when Yahoo has not seen the bell', async () => {
    theirs = Date.parse(MORNING);
    expect((await readSeries(MORNING, ['sp500_close'])).values.get('sp500_close')?.size).toBe(5);
    const half = chart([[bell('2026-11-20', 5000), 1, 1, 1, 1, 1, 1]], {
      symbol: '^GSPC',
      regularMarketTime: bell('2026-11-20', 5000),
    });
    server.handler = (_, response) => void response.end(JSON.stringify(half));
    const { values, refused } = await readSeries(EVENING, ['sp500_close'], odd);
    expect(values.get('sp500_close')?.size).toBe(0);
    expect(refused).toEqual(['Yahoo, ^GSPC on 2026-11-20: the last value is of before the closing bell']);
    // Of 10:53; what is said to be of the moment may be delayed, and no more than that.
    expect(
      (await readSeries('2026-11-20T16:30:00Z', ['sp500_close'], odd)).values.get('sp500_close')?.size,
    ).toBe(1);
    const old = await readSeries('2026-11-20T17:00:00Z', ['sp500_close'], odd);
    expect(old.values.get('sp500_close')?.size).toBe(0);
    expect(old.refused).toEqual(['Yahoo, ^GSPC on 2026-11-20: the last value within the session is too old']);
  });
});
