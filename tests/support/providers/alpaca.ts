import {
  marketDay,
  newestOpenedSession,
  sessionClose,
  sessionOpen,
  sessionsBetween,
  startOfMarketDay,
} from '#domain/calendar/sessions.ts';
import { type DayRow, happensTo, withFault } from './faults.ts';
import { remembered } from './market.ts';
import {
  json,
  type ProviderStub,
  STUB_KEYS,
  type StubAnswer,
  type StubRequest,
  type StubWorld,
} from './stub.ts';

const MINUTE = 60_000;
const DELAY = 15 * MINUTE;
const A_MINUTE = 200;
const MOST_BARS = 10_000;
const HISTORY_FROM = '2016-01-04';

interface Times {
  from: number;
  to: number;
  /** Time of the newest available bar. */
  reach: number;
}

/**
 * `/v2/stocks/bars` of https://docs.alpaca.markets/reference/stockbars with a free account: the consolidated tape
 * once it is 15 minutes old, pages of at most 10,000 bars over all symbols, 200 requests a minute.
 */
export function alpacaStub(world: StubWorld): ProviderStub {
  let window = 0;
  let used = 0;

  return (request) => {
    const { url, now } = request;
    if (Math.floor(now / MINUTE) !== window) used = 0;
    window = Math.floor(now / MINUTE);
    used += 1;
    const answer = answerOf(world, request);
    const headers = {
      ...answer.headers,
      'x-ratelimit-limit': String(A_MINUTE),
      'x-ratelimit-remaining': String(Math.max(0, A_MINUTE - used)),
      'x-ratelimit-reset': String((window + 1) * 60),
    };
    return url.pathname === '/v2/stocks/bars' ? { ...answer, headers } : answer;
  };
}

function answerOf(world: StubWorld, { url, header, now, fault }: StubRequest): StubAnswer {
  const { keyId, secretKey } = STUB_KEYS.alpaca;
  if (header('apca-api-key-id') !== keyId || header('apca-api-secret-key') !== secretKey)
    return json({ message: 'forbidden.' }, 401);
  if (url.pathname !== '/v2/stocks/bars') return json({ message: 'endpoint not found.' }, 404);
  const query = url.searchParams;
  const symbols = (query.get('symbols') ?? '').split(',').filter((symbol) => symbol !== '');
  if (symbols.length === 0) return json({ message: 'symbols is required' }, 400);
  const invalid = symbols.find(
    (symbol) => !/^[A-Z]{1,5}(\.[A-Z])?$/.test(symbol) || happensTo(fault, 'unknown symbol', symbol),
  );
  if (invalid !== undefined) return json({ message: `invalid symbol: ${invalid}` }, 400);
  const timeframe = query.get('timeframe');
  if (timeframe !== '1Day' && timeframe !== '1Min') return json({ message: 'invalid timeframe' }, 400);
  const sip = (query.get('feed') ?? 'sip') === 'sip';
  const latest = sip ? now - DELAY : now;
  const from = instantOf(query.get('start')) ?? startOfMarketDay(marketDay(now));
  const to = instantOf(query.get('end')) ?? latest;
  if (Number.isNaN(from) || Number.isNaN(to)) return json({ message: 'invalid start or end' }, 400);
  if (to > latest) {
    const message = 'subscription does not permit querying recent SIP data';
    return json({ code: 42_210_000, message }, 403);
  }
  const limit = Math.min(MOST_BARS, Number(query.get('limit') ?? 1000));
  const [pageSymbol = '', pageTime = ''] = atob(query.get('page_token') ?? '').split('|');
  const times = { from, to, reach: latest };
  const bars: Record<string, unknown[]> = {};
  let room = limit;
  let next: string | null = null;
  for (const symbol of [...new Set(symbols)].sort()) {
    if (symbol < pageSymbol || !world.isListed(symbol) || happensTo(fault, 'missing symbol', symbol))
      continue;
    const rows = timeframe === '1Day' ? dailyRows(world, symbol, times) : minuteRows(world, symbol, times);
    const shown = withFault(rows, fault, now, symbol).map(({ day, prices, volume }) => ({
      c: prices[3],
      h: prices[1],
      l: prices[2],
      n: 4321,
      o: prices[0],
      t: day.length === 10 ? midnightStamp(day) : day,
      v: volume,
      vw: prices[3],
    }));
    if (query.get('sort') === 'desc') shown.reverse();
    const start = symbol === pageSymbol ? shown.findIndex(({ t }) => t === pageTime) : 0;
    const page = shown.slice(Math.max(0, start), Math.max(0, start) + room);
    if (page.length > 0) bars[symbol] = page;
    room -= page.length;
    const left = shown[Math.max(0, start) + page.length];
    if (left !== undefined) {
      next = btoa(`${symbol}|${left.t}`);
      break;
    }
  }
  if (fault?.fault === 'wrong shape') return json({ bars: [bars], next_page_token: 7 });
  return json({ bars, next_page_token: next });
}

function instantOf(text: string | null): number | null {
  if (text === null) return null;
  return text.length === 10 ? startOfMarketDay(text) : Date.parse(text);
}

const stamp = (instant: number) => `${new Date(instant).toISOString().slice(0, 19)}Z`;

function dailyRows({ market, first }: StubWorld, symbol: string, { from, to, reach }: Times): DayRow[] {
  const begin = [marketDay(from), first, HISTORY_FROM].sort().at(-1) ?? first;
  return sessionsOf(`${begin} ${marketDay(Math.min(to, reach))}`).flatMap((day) => {
    const bar = midnight(day) < from || midnight(day) > to ? null : market.barAt(symbol, day, reach);
    if (bar === null) return [];
    return [{ day, prices: [bar.open, bar.high, bar.low, bar.close], volume: bar.volume }];
  });
}

function minuteRows({ market }: StubWorld, symbol: string, { from, to, reach }: Times): DayRow[] {
  const session = newestOpenedSession(Math.min(to, reach));
  const begin = Math.max(Math.ceil(from / MINUTE) * MINUTE, sessionOpen(session));
  const end = Math.min(to, reach - MINUTE, sessionClose(session) - MINUTE);
  const rows: DayRow[] = [];
  for (let at = begin; at <= end; at += MINUTE) {
    // Some minutes have no trade.
    if ((at / MINUTE + symbol.length) % 37 === 0) continue;
    const open = market.priceAt(symbol, session, at);
    const close = market.priceAt(symbol, session, at + MINUTE - 1000);
    const prices = [open, Math.max(open, close), Math.min(open, close), close];
    rows.push({ day: stamp(at), prices, volume: 1200 });
  }
  return rows;
}

const midnight = remembered(startOfMarketDay);
const midnightStamp = remembered((day: string) => stamp(startOfMarketDay(day)));
const sessionsOf = remembered((days: string) => {
  const [from = '', to = ''] = days.split(' ');
  return from > to ? [] : sessionsBetween(from, to);
});
