import { beforeEach, describe, expect, it } from 'vitest';
import { sessionOpen, sessionsBetween } from '#domain/calendar/sessions.ts';
import { providerContext } from '#tests/support/provider-context.ts';
import type { Fault, FaultOptions } from '#tests/support/providers/faults.ts';
import { loopbackOfTheseTests, stubsOfTheseTests } from '#tests/support/servers-of-tests.ts';
import type { SeriesRequest } from './provider.ts';
import { createYahoo } from './yahoo.ts';

const MEMBERS = ['AAPL', 'BRK.B'].map((symbol) => ({ symbol, name: symbol, sector: 'Financials' }));
const EVENING = '2026-11-20T22:00:00Z';
const MORNING = '2026-11-20T15:30:00Z';
const LAST_WEEK = { from: '2026-11-16', to: '2026-11-20' };
const DAYS = sessionsBetween('2026-11-16', '2026-11-20');
let stubClock = Date.parse(EVENING);

const stubs = stubsOfTheseTests({ members: MEMBERS, now: () => stubClock });
const yahoo = () => createYahoo({ baseUrl: stubs.urls.yahoo });
const server = loopbackOfTheseTests();
const odd = () => createYahoo({ baseUrl: server.url });
beforeEach(() => {
  stubClock = Date.parse(EVENING);
});

async function readBars(
  now: string,
  { symbols = ['AAPL'], from = LAST_WEEK.from, to = LAST_WEEK.to, provider = yahoo() } = {},
) {
  const { rejected, ...at } = providerContext(now);
  const reading = await provider.readBars?.({ ...at, symbols, from, to });
  if (reading === undefined) throw new Error('Yahoo has bars.');
  return { ...reading, rejected: rejected() };
}

async function readSeries(now: string, series: SeriesRequest['series'], provider = yahoo()) {
  const at = providerContext(now);
  const values = await provider.readSeries?.({ ...at, ...LAST_WEEK, series });
  return { values: values ?? new Map(), rejected: at.rejected(), notes: at.problems.notes() };
}

const fault = (kind: Fault, options: FaultOptions = {}) => stubs.fault('yahoo', kind, options);
const bell = (session: string, after = 0) => sessionOpen(session) / 1000 + after;

/** A chart of AAPL from rows of `[timestamp, open, high, low, close, volume, adjusted close]`. */
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

async function readChart(body: unknown, now = EVENING, status = 200) {
  server.handler = (_, response) => void response.writeHead(status).end(JSON.stringify(body));
  return readBars(now, { provider: odd() });
}

describe('daily bars', () => {
  it('are requested once per symbol of the universe', async () => {
    const { bars, rejected, observedAt } = await readBars(EVENING, { symbols: ['AAPL', 'BRK.B'] });
    expect(bars.map(({ symbol, session }) => `${symbol} ${session}`)).toEqual(
      ['AAPL', 'BRK.B'].flatMap((symbol) => DAYS.map((session) => `${symbol} ${session}`)),
    );
    expect(rejected).toEqual([]);
    expect(observedAt).toBe(Date.parse('2026-11-20T21:00:00Z'));
    const days = `period1=${Date.parse('2026-11-16T05:00Z') / 1000}&period2=${Date.parse('2026-11-21T05:00Z') / 1000}`;
    expect(stubs.asked().map(({ url }) => url)).toEqual(
      ['AAPL', 'BRK-B'].map((symbol) => `/v8/finance/chart/${symbol}?interval=1d&${days}`),
    );
  });

  it('keep their days over a change to summer time', async () => {
    const { bars, rejected } = await readBars(EVENING, { from: '2024-01-02' });
    expect(bars.map(({ session }) => session)).toEqual(sessionsBetween('2024-01-02', '2026-11-20'));
    expect(rejected).toEqual([]);
  });

  it('are adjusted by the ratio of the two closes, except the volume, and rounded to 32-bit floats', async () => {
    const { bars } = await readChart(
      chart([
        [bell('2026-11-18'), 10, 12, 8, 11, 500, 5.5],
        [
          bell('2026-11-19'),
          304.3900146484375,
          307,
          304,
          306.1199951171875,
          1_303_812_345,
          306.1199951171875,
        ],
      ]),
    );
    expect(bars).toMatchObject([
      { symbol: 'AAPL', session: '2026-11-18', open: 5, high: 6, low: 4, close: 5.5, volume: 500 },
      { open: 304.39, low: 304, close: 306.12, volume: 1_303_812_345 },
    ]);
  });

  it('end with the last trade in an open session', async () => {
    stubClock = Date.parse(MORNING);
    const open = await readBars(MORNING);
    expect(open.bars.at(-1)?.session).toBe('2026-11-20');
    expect(open.observedAt).toBe(Date.parse(MORNING));
    const closed = await readBars(MORNING, { to: '2026-11-19' });
    expect(closed.bars.at(-1)?.session).toBe('2026-11-19');
    expect(closed.rejected).toEqual([]);
  });

  it('never use a value of an open session as its close, even if our clock is ahead', async () => {
    const half: [number, ...unknown[]] = [bell('2026-11-20', 5000), 1, 1, 1, 1, 1, 1];
    const before: [number, ...unknown[]] = [bell('2026-11-19'), 1, 1, 1, 1, 1, 1];
    for (const regularMarketTime of [bell('2026-11-20', 5000), undefined]) {
      const { bars, rejected } = await readChart(chart([before, half], { regularMarketTime }));
      expect(bars.map(({ session }) => session)).toEqual(['2026-11-19']);
      expect(rejected).toEqual(['Yahoo, AAPL on 2026-11-20: the last value is from before the closing bell']);
    }
    // The session counts as open until half an hour after the bell.
    const early = '2026-11-20T21:20:00Z';
    expect((await readChart(chart([before, half], { regularMarketTime: half[0] }), early)).bars).toHaveLength(
      2,
    );
  });

  it.each([
    ['Not Found', 'No data found, symbol may be delisted', 404],
    ['Bad Request', "Data doesn't exist for startDate = 1, endDate = 2", 400],
  ])('are none for an unknown symbol (%s)', async (code, description, status) => {
    const body = { chart: { result: null, error: { code, description } } };
    expect(await readChart(body, EVENING, status)).toMatchObject({ bars: [] });
    expect(await readChart(chart([]))).toMatchObject({ bars: [] });
  });
});

describe('invalid values', () => {
  it.each([
    ['zero price', 'AAPL on 2026-11-19: the open is zero'],
    ['future date', 'AAPL on 2026-11-23: the day is in the future'],
    ['no session', 'AAPL on 2026-11-14: the day is not a session of the exchange'],
  ] as const)('reject that bar only, with its name: %s', async (kind, message) => {
    fault(kind, kind === 'zero price' ? { session: '2026-11-19' } : {});
    const { bars, rejected } = await readBars(EVENING);
    expect(rejected).toEqual([`Yahoo, ${message}`]);
    expect(bars).toHaveLength(kind === 'zero price' ? 4 : 5);
  });

  it('are ignored in an empty last row', async () => {
    fault('nulls');
    const { bars, rejected } = await readBars(EVENING);
    expect(bars).toHaveLength(4);
    expect(rejected).toEqual([]);
  });

  it('are refused in a row that lacks one of its two closes', async () => {
    const day = bell('2026-11-19');
    const { rejected } = await readChart(
      chart([
        [day, 1, 1, 1, 1, 1, null],
        [day, 1, 1, 1, null, 1, 1],
      ]),
    );
    expect(rejected).toEqual(Array(2).fill('Yahoo, AAPL on 2026-11-19: no close'));
  });

  it('are ignored in a second bar of a day', async () => {
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
    expect(twice.rejected).toEqual(['Yahoo, AAPL on 2026-11-20: two different bars for one day']);
    expect((await readChart(chart([row(2), row(2)]))).rejected).toEqual([]);
    const empty: [number, ...unknown[]] = [bell('2026-11-20'), null, null, null, null, null, null];
    expect((await readChart(chart([empty, row(3)]))).bars.map(({ close }) => close)).toEqual([3]);
  });
});

it.each([
  [null],
  [{ chart: { result: [{}], error: null } }],
  [{ chart: { result: null, error: { code: 'Internal', description: 'key=secret' } } }],
  [chart([], { symbol: 'MSFT' })],
  [chart([], { dataGranularity: '1mo' })],
  [chart([[-5, 1, 1, 1, 1, 1, 1]])],
])('an unusable response fails with an unknown format: %j', async (body) => {
  await expect(readChart(body)).rejects.toMatchObject({
    failure: 'unreadable',
    message: 'Yahoo returned an unknown format. See docs/live-data.md.',
  });
});

describe('indices and the Treasury fund', () => {
  it('are series of closes', async () => {
    const names = [
      'sp500_close',
      'nasdaq_composite_close',
      'dow_jones_close',
      'vix_close',
      'treasury_fund_close',
    ] as const;
    const { values, rejected } = await readSeries(EVENING, [...names, 'put_call_total']);
    expect([...values.keys()]).toEqual(names);
    for (const name of names) expect([...(values.get(name)?.keys() ?? [])]).toEqual(DAYS);
    expect(rejected).toEqual([]);
    expect(stubs.asked()[0]?.url).toMatch(/^\/v8\/finance\/chart\/%5EGSPC\?/);
  });

  it('are kept if another series or a single value fails', async () => {
    fault('html', { path: '%5EVIX' });
    const { values, notes } = await readSeries(EVENING, ['vix_close', 'dow_jones_close']);
    expect([...values.keys()]).toEqual(['dow_jones_close']);
    expect(notes).toMatchObject([{ kind: 'provider', count: 1 }]);
    await expect(readSeries(EVENING, ['vix_close'])).rejects.toMatchObject({ failure: 'unreadable' });
    fault('zero price');
    const zero = await readSeries(EVENING, ['dow_jones_close']);
    expect([...(zero.values.get('dow_jones_close')?.keys() ?? [])]).toEqual(DAYS.slice(0, 4));
    expect(zero.rejected).toEqual(["Yahoo, ^DJI on 2026-11-20: '0' is not between 1 and 1000000"]);
  });

  it('have the current level during a session', async () => {
    stubClock = Date.parse(MORNING);
    expect((await readSeries(MORNING, ['sp500_close'])).values.get('sp500_close')?.size).toBe(5);
    const half = chart([[bell('2026-11-20', 5000), 1, 1, 1, 1, 1, 1]], {
      symbol: '^GSPC',
      regularMarketTime: bell('2026-11-20', 5000),
    });
    server.handler = (_, response) => void response.end(JSON.stringify(half));
    const { values, rejected } = await readSeries(EVENING, ['sp500_close'], odd());
    expect(values.has('sp500_close')).toBe(false);
    expect(rejected).toEqual(['Yahoo, ^GSPC on 2026-11-20: the last value is from before the closing bell']);
    // The value is of 10:53. A delay of 15 minutes is normal; more than 45 is too old.
    expect(
      (await readSeries('2026-11-20T16:30:00Z', ['sp500_close'], odd())).values.get('sp500_close')?.size,
    ).toBe(1);
    const old = await readSeries('2026-11-20T17:00:00Z', ['sp500_close'], odd());
    expect(old.values.has('sp500_close')).toBe(false);
    expect(old.rejected).toEqual([
      'Yahoo, ^GSPC on 2026-11-20: the last value of the open session is too old',
    ]);
  });
});
