import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { field, listIn, requestUrl } from './http-client.ts';
import {
  type BarRequest,
  type HttpResponse,
  type MinuteReading,
  type MinuteRequest,
  PROVIDER_LABELS,
  type Provider,
  providerError,
  symbolFor,
  unknownFormat,
} from './provider.ts';
import { createBarValidator, createSeriesValidator } from './validators.ts';

const LABEL = PROVIDER_LABELS.alpaca;
/** A fund of Treasuries of seven to ten years. */
const TREASURY_FUND = 'IEF';
const INPUTS = ['bars', 'treasury_fund_close', 'tick_proxy'] as const;

const SYMBOLS_PER_REQUEST = 50;
/** A response without any bar is an error if at least this many symbols were requested. */
const MIN_TRADED_SYMBOLS = 5;
/** A free account gets consolidated trades after 15 minutes; one more minute for clock differences. */
const DELAY = 16 * 60_000;
const BARS_PER_PAGE = 10_000;
/** Valid symbols. A comma would split one symbol into two. */
const SYMBOL = /^[A-Z0-9.]{1,16}$/;
/** Maximum number of pages, some of which may be half full. A request with more pages counts as endless. */
const MAX_PAGES = 100;

const MINUTE = 60_000;
/** Length (minutes) of the range that is searched for the last two minutes with a trade. */
const MINUTES = 10;
const SYMBOLS_PER_MINUTE_REQUEST = 250;
/** Largest plausible ratio of prices in consecutive minutes; trading halts far below it. */
const MAX_RATIO = 2;

interface AlpacaAccount {
  readonly baseUrl: string;
  readonly keyId: string;
  readonly secretKey: string;
}

/** Bars of consolidated trades, delayed by 16 minutes, adjusted for splits and dividends. */
export function createAlpaca(account: AlpacaAccount): Provider {
  return {
    name: 'alpaca',
    label: LABEL,
    inputs: INPUTS,
    openSessionInputs: INPUTS,
    symbolsPerRequest: SYMBOLS_PER_REQUEST,

    async readBars(request) {
      const validator = createBarValidator(LABEL, request);
      const seen = await fetchDays(account, request, request.symbols, (symbol, session, bar) =>
        validator.add(
          symbol,
          session,
          ['o', 'h', 'l', 'c', 'v'].map((name) => field(bar, name)),
        ),
      );
      if (!seen && request.symbols.length >= MIN_TRADED_SYMBOLS) throw emptyError();
      return { bars: validator.accepted(), observedAt: delayedNow(request.now) };
    },

    async readSeries(request) {
      const codes = { treasury_fund_close: TREASURY_FUND };
      const validator = createSeriesValidator(request, { label: LABEL, codes });
      for (const name of validator.names) {
        const seen = await fetchDays(account, request, [TREASURY_FUND], (_, session, bar) =>
          validator.add(name, session, field(bar, 'c')),
        );
        if (!seen) throw emptyError();
      }
      return validator.reading();
    },

    readMinutes: (request) => readMinutes(account, request),
  };
}

/** Passes each daily bar to `onDay`, with the universe's spelling of the symbol. Returns false without any valid day. */
async function fetchDays(
  account: AlpacaAccount,
  { from, to, ...request }: Omit<BarRequest, 'symbols'>,
  symbols: readonly string[],
  onDay: (symbol: string, session: string, bar: unknown) => void,
): Promise<boolean> {
  const symbolOf = new Map(symbols.map((symbol) => [symbolFor('alpaca', symbol), symbol]));
  let seen = false;
  const pages = fetchBars(account, request, [...symbolOf.keys()], {
    ...{ timeframe: '1Day', adjustment: 'all' },
    start: startOfMarketDay(from),
    end: startOfMarketDay(formatDay(parseDay(to) + 1)) - 1,
  });
  for await (const page of pages) {
    for (const { symbol, at, bar } of page) {
      const item = symbolOf.get(symbol) ?? symbol;
      const day = Number.isNaN(at) ? null : marketDay(at);
      // A daily bar is stamped with midnight in New York.
      if (day !== null && startOfMarketDay(day) === at) {
        seen = true;
        onDay(item, day, bar);
      } else {
        request.problems.refuse('date', { provider: LABEL, item }, 'its time is not midnight in New York');
      }
    }
  }
  return seen;
}

/** The closes of each symbol's last two minutes up to `until`, or up to Alpaca's delay. Throws ProviderError. */
async function readMinutes(account: AlpacaAccount, request: MinuteRequest): Promise<MinuteReading> {
  const { symbols, now, until, problems } = request;
  const last = new Float64Array(symbols.length).fill(Number.NaN);
  const before = new Float64Array(symbols.length).fill(Number.NaN);
  const closes = new Map(symbols.map((symbol) => [symbolFor('alpaca', symbol), new Map<number, number>()]));
  // A bar is stamped with the start of its minute, so exclude the minute that starts at `until`.
  const end = Math.min(until, delayedNow(now)) - 1;
  const start = Math.floor(end / MINUTE) * MINUTE - MINUTES * MINUTE;
  const requested = [...closes.keys()];
  for (let from = 0; from < requested.length; from += SYMBOLS_PER_MINUTE_REQUEST) {
    const part = requested.slice(from, from + SYMBOLS_PER_MINUTE_REQUEST);
    const range = { timeframe: '1Min', adjustment: 'raw', start, end };
    for await (const page of fetchBars(account, request, part, range)) {
      for (const { symbol, at, bar } of page) {
        const close = field(bar, 'c');
        const ofSymbol = closes.get(symbol);
        const minute = Math.floor(at / MINUTE);
        const place = { provider: LABEL, item: symbol };
        if (typeof close !== 'number' || !(close > 0) || Number.isNaN(at) || at > end)
          problems.refuse('number', place, 'a minute bar is unreadable');
        else if ((ofSymbol?.get(minute) ?? close) !== close)
          problems.refuse('duplicate', place, 'two different bars for one minute');
        else ofSymbol?.set(minute, close);
      }
    }
  }
  for (const [row, item] of symbols.entries()) {
    const ofSymbol = closes.get(symbolFor('alpaca', item)) ?? new Map<number, number>();
    const newest = Math.max(...ofSymbol.keys());
    const [one = Number.NaN, other = Number.NaN] = [ofSymbol.get(newest), ofSymbol.get(newest - 1)];
    if (Math.max(one / other, other / one) > MAX_RATIO) {
      const why = `a move from ${other} to ${one} within a minute is implausible`;
      problems.refuse('price', { provider: LABEL, item }, why);
      continue;
    }
    last[row] = one;
    before[row] = other;
  }
  return { last, before };
}

/** The newest instant Alpaca has data of (epoch ms). */
const delayedNow = (now: number) => now - DELAY;

interface BarRange {
  readonly timeframe: string;
  readonly adjustment: string;
  /** Epoch ms, both inclusive. */
  readonly start: number;
  readonly end: number;
}

/** Fetches all pages of bars of symbols in Alpaca's spelling. https://docs.alpaca.markets/reference/stockbars */
async function* fetchBars(
  { baseUrl, keyId, secretKey }: AlpacaAccount,
  { http, now }: Pick<BarRequest, 'http' | 'now'>,
  requested: readonly string[],
  { start, end, ...kind }: BarRange,
): AsyncGenerator<ReturnType<typeof barsIn>> {
  let symbols = requested.filter((symbol) => SYMBOL.test(symbol));
  let tokens: string[] = [];
  while (symbols.length > 0) {
    const token = tokens.at(-1);
    const page: unknown = await http.getJson({
      provider: 'alpaca',
      url: requestUrl(baseUrl, '/v2/stocks/bars', {
        ...{ symbols: symbols.join(','), ...kind, feed: 'sip' },
        start: new Date(start).toISOString(),
        end: new Date(Math.min(end, delayedNow(now))).toISOString(),
        limit: String(BARS_PER_PAGE),
        ...(token === undefined ? {} : { page_token: token }),
      }),
      headers: { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': secretKey },
      accepts: isSymbolRefusal,
    });
    const message = field(page, 'message');
    if (typeof message === 'string') {
      symbols = withoutRejected(symbols, message);
      tokens = [];
      continue;
    }
    yield barsIn(page, symbols);
    const next = field(page, 'next_page_token') ?? '';
    if (typeof next !== 'string') throw unknownFormat('alpaca');
    if (next === '') return;
    if (tokens.includes(next) || tokens.length >= MAX_PAGES)
      throw providerError('alpaca', 'unreadable', 'returned endless pages; see docs/live-data.md');
    tokens.push(next);
  }
}

/** The symbols that a refusal does not name: one invalid symbol fails the whole request. Throws other refusals. */
function withoutRejected(symbols: readonly string[], refusal: string): string[] {
  const rejected = new Set(refusal.split(/[^A-Za-z0-9./-]+/));
  const left = symbols.filter((symbol) => !rejected.has(symbol));
  if (left.length === symbols.length)
    throw providerError('alpaca', 'refused', 'rejected the requested symbols; see docs/live-data.md');
  return left;
}

/** The bars `{t,o,h,l,c,v}` of requested symbols, not validated. `at` is the time of a bar (epoch ms); NaN if unreadable. */
function barsIn(page: unknown, requested: readonly string[]) {
  const bars = field(page, 'bars');
  if (typeof bars !== 'object' || Array.isArray(bars)) throw unknownFormat('alpaca');
  // Alpaca sends null if there are no bars.
  return Object.entries(bars ?? {}).flatMap(([symbol, list]) => {
    const ofSymbol = listIn(list ?? []);
    if (ofSymbol === null || !requested.includes(symbol)) throw unknownFormat('alpaca');
    return ofSymbol.map((bar) => ({ symbol, at: instantOf(field(bar, 't')), bar }));
  });
}

/** True for a refusal of symbols, which is retried without them. Throws ProviderError for too recent data. */
function isSymbolRefusal({ status, text }: HttpResponse): boolean {
  if (text.length > 10_000) return false;
  if (status === 403 && /recent sip data/i.test(text)) {
    const help = "check this computer's clock and the account's market data plan";
    throw providerError('alpaca', 'refused', `refused data as too recent; ${help}`);
  }
  return status === 400 && /invalid symbol/i.test(text);
}

/** The time of a bar (epoch ms); NaN if unreadable. */
export function instantOf(time: unknown): number {
  return typeof time === 'string' && /^\d{4}-\d\d-\d\dT/.test(time) && time.length <= 40
    ? Date.parse(time)
    : Number.NaN;
}

const emptyError = () => providerError('alpaca', 'empty', 'returned no bar. The next run retries');
