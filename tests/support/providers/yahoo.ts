import {
  marketDay,
  newestOpenedSession,
  sessionClose,
  sessionOpen,
  sessionsBetween,
} from '#domain/calendar/sessions.ts';
import { type DayRow, happensTo, withFault } from './faults.ts';
import type { LevelName } from './market.ts';
import { json, type ProviderStub, type StubRequest, type StubWorld } from './stub.ts';

const INDICES: Readonly<Record<string, LevelName>> = {
  '^GSPC': 'sp500',
  '^IXIC': 'nasdaq',
  '^DJI': 'dow',
  '^VIX': 'vix',
};
const PATH = '/v8/finance/chart/';
const QUARTER = 91 * 86_400_000;
/** Factor by which a quarterly dividend lowers earlier prices in an adjusted series. */
const DIVIDEND = 1.004;

/**
 * `/v8/finance/chart/<symbol>`. Timestamps are the opening bells; for an open session, the time of the last trade.
 * Quotes are adjusted for splits, `adjclose` also for dividends. Prices are 32-bit floats.
 */
export function yahooStub(world: StubWorld): ProviderStub {
  return (request) => {
    const { url, header, now, fault } = request;
    if ((header('user-agent') ?? '') === '') return { status: 429, body: 'Too Many Requests\r\n' };
    const spelt = url.pathname.startsWith(PATH) ? decodeURIComponent(url.pathname.slice(PATH.length)) : '';
    const symbol = spelt.replace('-', '.');
    const level = INDICES[spelt];
    const isUnknown =
      happensTo(fault, 'unknown symbol', symbol) || happensTo(fault, 'missing symbol', symbol);
    if (isUnknown || spelt.includes('.') || (level === undefined && !world.isListed(symbol)))
      return problem(404, 'Not Found', 'No data found, symbol may be delisted');
    if (url.searchParams.get('interval') !== '1d')
      return problem(422, 'Unprocessable Entity', 'Invalid input - interval is not supported');
    const { from, to } = period(request);
    if (!(from < to))
      return problem(400, 'Bad Request', 'Invalid input - start date cannot be after end date.');
    const rows = withFault(rowsOf(world, symbol, level, { from, to, now }), fault, now, symbol);
    if (rows.length === 0 && fault?.fault !== 'empty') {
      const dates = `startDate = ${from / 1000}, endDate = ${to / 1000}`;
      return problem(400, 'Bad Request', `Data doesn't exist for ${dates}`);
    }
    if (fault?.fault === 'wrong shape') return json({ chart: { result: {}, error: 0 } });
    return json({
      chart: { result: [resultOf(spelt, level !== undefined, rows, now)], error: null },
    });
  };
}

function problem(status: number, code: string, description: string) {
  return json({ chart: { result: null, error: { code, description } } }, status);
}

function period({ url, now }: StubRequest): { from: number; to: number } {
  const from = Number(url.searchParams.get('period1') ?? Number.NaN) * 1000;
  const to = Number(url.searchParams.get('period2') ?? now / 1000) * 1000;
  return { from, to };
}

function rowsOf(
  { market, first }: StubWorld,
  symbol: string,
  level: LevelName | undefined,
  { from, to, now }: { from: number; to: number; now: number },
): DayRow[] {
  const begin = [marketDay(from), first].sort().at(-1) ?? first;
  const end = newestOpenedSession(Math.min(to, now));
  if (begin > end) return [];
  return sessionsBetween(begin, end).flatMap((day) => {
    if (sessionOpen(day) < from || sessionOpen(day) >= to) return [];
    if (level !== undefined) {
      const [open, close] = [sessionOpen(day), now].map((at) => market.levelAt(level, day, at));
      if (open === undefined || close === undefined) return [];
      return [{ day, prices: [open, Math.max(open, close), Math.min(open, close), close], volume: 4.1e9 }];
    }
    const bar = market.barAt(symbol, day, now);
    const prices = bar === null ? [] : [bar.open, bar.high, bar.low, bar.close];
    return bar === null ? [] : [{ day, prices, volume: bar.volume }];
  });
}

function resultOf(symbol: string, isIndex: boolean, rows: readonly DayRow[], now: number) {
  const newest = newestOpenedSession(now);
  const lastTrade = Math.min(now, sessionClose(newest));
  const unadjusted = rows.map(({ day, prices }) => {
    const quarters = isIndex ? 0 : Math.floor(now / QUARTER) - Math.floor(sessionOpen(day) / QUARTER);
    return prices.map((price) =>
      typeof price === 'number' ? Math.fround(price * DIVIDEND ** Math.max(0, quarters)) : price,
    );
  });
  const column = (at: number) => unadjusted.map((prices) => prices[at]);
  const adjusted = rows.map(({ prices: [, , , close] }) =>
    typeof close === 'number' ? Math.fround(close) : close,
  );
  return {
    meta: {
      currency: 'USD',
      symbol,
      exchangeName: 'NYQ',
      fullExchangeName: 'NYSE',
      instrumentType: isIndex ? 'INDEX' : 'EQUITY',
      regularMarketTime: Math.floor(lastTrade / 1000),
      hasPrePostMarketData: !isIndex,
      gmtoffset: -18_000,
      timezone: 'EST',
      exchangeTimezoneName: 'America/New_York',
      regularMarketPrice: column(3).at(-1),
      priceHint: 2,
      dataGranularity: '1d',
      range: '',
      validRanges: ['1d', '5d', '1mo', '3mo', '6mo', '1y', '2y', '5y', '10y', 'ytd', 'max'],
    },
    timestamp: rows.map(({ day }) =>
      Math.floor((day === newest && now < sessionClose(newest) ? lastTrade : sessionOpen(day)) / 1000),
    ),
    indicators: {
      quote: [
        {
          open: column(0),
          high: column(1),
          low: column(2),
          close: column(3),
          volume: rows.map(({ prices, volume }) => (prices[3] === null ? null : volume)),
        },
      ],
      adjclose: [{ adjclose: adjusted }],
    },
  };
}
