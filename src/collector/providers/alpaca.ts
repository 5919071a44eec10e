import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import type { ProblemKind } from '../problems.ts';
import { createBarValidator } from './bar-validator.ts';
import { field, type HttpClient, type HttpResponse, listIn, requestUrl } from './http-client.ts';
import { PROVIDER_LABELS, symbolFor } from './names.ts';
import type { BarRequest, MinuteReading, MinuteRequest, Provider } from './provider.ts';
import { ProviderError, unknownFormat } from './provider-error.ts';
import { createSeriesValidator } from './series-validator.ts';

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
/** Maximum number of pages, some of which may be half full. More pages would never end. */
const MAX_PAGES = 100;

const MINUTE = 60_000;
/** Length (minutes) of the range that is searched for the last two minutes with a trade. */
const MINUTES = 10;
const SYMBOLS_PER_MINUTE_REQUEST = 250;
/** Largest plausible ratio of prices in consecutive minutes; trading halts far below it. */
const MAX_RATIO = 2;

/** Credentials for `/v2/stocks/bars`. */
interface AlpacaAccount {
  readonly baseUrl: string;
  readonly keyId: string;
  readonly secretKey: string;
}

type DailyRequest = Omit<BarRequest, 'symbols'>;

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
      if (!seen && request.symbols.length >= MIN_TRADED_SYMBOLS) throw empty();
      return { bars: validator.accepted(), observedAt: delayedNow(request.now) };
    },

    async readSeries(request) {
      const codes = { treasury_fund_close: TREASURY_FUND };
      const validator = createSeriesValidator(request, { label: LABEL, codes });
      for (const name of validator.names) {
        const seen = await fetchDays(account, request, [TREASURY_FUND], (_, session, bar) =>
          validator.add(name, session, field(bar, 'c')),
        );
        if (!seen) throw empty();
      }
      return validator.reading();
    },

    readMinutes: (request) => readMinutes(account, request),
  };
}

/** Passes each daily bar to `onDay`, with the universe's spelling of the symbol. Returns false without any valid day. */
async function fetchDays(
  account: AlpacaAccount,
  { http, now, from, to, problems }: DailyRequest,
  symbols: readonly string[],
  onDay: (symbol: string, session: string, bar: unknown) => void,
): Promise<boolean> {
  const symbolOf = new Map(symbols.map((symbol) => [symbolFor('alpaca', symbol), symbol]));
  let seen = false;
  await fetchBars(account, {
    ...{ http, now, symbols: [...symbolOf.keys()], timeframe: '1Day', adjustment: 'all' },
    start: startOfMarketDay(from),
    end: startOfMarketDay(formatDay(parseDay(to) + 1)) - 1,
    onBar(alpacaSymbol, bar) {
      const symbol = symbolOf.get(alpacaSymbol) ?? alpacaSymbol;
      const day = dayOf(field(bar, 't'));
      if (day === null)
        return problems.refuse(
          'date',
          { provider: LABEL, item: symbol },
          'its time is not midnight in New York',
        );
      seen = true;
      onDay(symbol, day, bar);
    },
  });
  return seen;
}

/** The session of a daily bar, which is stamped with midnight in New York; null for any other time. */
function dayOf(time: unknown): string | null {
  const instant = instantOf(time);
  if (Number.isNaN(instant)) return null;
  const day = marketDay(instant);
  return startOfMarketDay(day) === instant ? day : null;
}

function empty(): ProviderError {
  return new ProviderError('alpaca', 'empty', 'Alpaca returned no bar. The next run retries.');
}

/** The closes of each symbol's last two minutes up to `until`, or up to Alpaca's delay. Throws ProviderError. */
async function readMinutes(account: AlpacaAccount, request: MinuteRequest): Promise<MinuteReading> {
  const { symbols, http, now, until, problems } = request;
  const last = new Float64Array(symbols.length).fill(Number.NaN);
  const before = new Float64Array(symbols.length).fill(Number.NaN);
  const rows = new Map(symbols.map((symbol, row) => [symbolFor('alpaca', symbol), row]));
  const closes = symbols.map(() => new Map<number, number>());
  // A bar is stamped with the start of its minute, so exclude the minute that starts at `until`.
  const end = Math.min(until, delayedNow(now)) - 1;
  const requested = [...rows.keys()];
  for (let from = 0; from < requested.length; from += SYMBOLS_PER_MINUTE_REQUEST) {
    await fetchBars(account, {
      http,
      now,
      symbols: requested.slice(from, from + SYMBOLS_PER_MINUTE_REQUEST),
      timeframe: '1Min',
      adjustment: 'raw',
      start: Math.floor(end / MINUTE) * MINUTE - MINUTES * MINUTE,
      end,
      onBar(symbol, bar) {
        const at = instantOf(field(bar, 't'));
        const close = field(bar, 'c');
        const ofSymbol = closes[rows.get(symbol) ?? -1];
        const minute = Math.floor(at / MINUTE);
        const refuse = (kind: ProblemKind, why: string) =>
          problems.refuse(kind, { provider: LABEL, item: symbol }, why);
        if (typeof close !== 'number' || !(close > 0) || Number.isNaN(at) || at > end)
          refuse('number', 'a minute bar is unreadable');
        else if ((ofSymbol?.get(minute) ?? close) !== close)
          refuse('duplicate', 'two different bars for one minute');
        else ofSymbol?.set(minute, close);
      },
    });
  }
  closes.forEach((ofSymbol, row) => {
    const newest = Math.max(...ofSymbol.keys());
    const [one = Number.NaN, other = Number.NaN] = [ofSymbol.get(newest), ofSymbol.get(newest - 1)];
    if (Math.max(one / other, other / one) > MAX_RATIO) {
      const at = { provider: LABEL, item: symbols[row] ?? '' };
      problems.refuse('price', at, `a move from ${other} to ${one} within a minute is implausible`);
      return;
    }
    last[row] = one;
    before[row] = other;
  });
  return { last, before };
}

interface BarQuery {
  readonly http: HttpClient;
  readonly now: number;
  /** The symbols in Alpaca's spelling. */
  readonly symbols: readonly string[];
  readonly timeframe: '1Day' | '1Min';
  readonly adjustment: 'all' | 'raw';
  /** Start and end of the range (epoch ms), both inclusive. The end is at most `delayedNow`. */
  readonly start: number;
  readonly end: number;
  /** Receives each bar of a requested symbol, `{t,o,h,l,c,v}`, not validated. */
  onBar(symbol: string, bar: unknown): void;
}

/** The newest instant Alpaca has data of (epoch ms). */
function delayedNow(now: number): number {
  return now - DELAY;
}

/**
 * Fetches all pages of bars. Leaves out symbols that Alpaca rejects. Throws ProviderError.
 * https://docs.alpaca.markets/reference/stockbars
 */
async function fetchBars(account: AlpacaAccount, query: BarQuery): Promise<void> {
  const end = Math.min(query.end, delayedNow(query.now));
  let symbols = query.symbols.filter((symbol) => SYMBOL.test(symbol));
  while (symbols.length > 0) {
    const refusal = await fetchPages(account, { ...query, symbols, end });
    if (refusal === null) return;
    if (isTooRecent(refusal)) {
      const help = "check this computer's clock and the account's market data plan";
      throw new ProviderError('alpaca', 'refused', `Alpaca refused data as too recent; ${help}.`);
    }
    // A single invalid symbol fails the whole request, so retry without the symbols that the message names.
    const rejected = new Set(refusal.split(/[^A-Za-z0-9./-]+/));
    const left = symbols.filter((symbol) => !rejected.has(symbol));
    if (left.length === symbols.length) throw error('refused', 'rejected the requested symbols');
    symbols = left;
  }
}

/** Fetches all pages. Returns null, or Alpaca's message if it refused the request. */
async function fetchPages(account: AlpacaAccount, query: BarQuery): Promise<string | null> {
  const requested = new Set(query.symbols);
  const tokens = new Set<string>();
  for (let token: string | null = null; ; ) {
    const page: unknown = await query.http.getJson({
      provider: 'alpaca',
      url: pageUrl(account.baseUrl, query, token),
      headers: { 'APCA-API-KEY-ID': account.keyId, 'APCA-API-SECRET-KEY': account.secretKey },
      accepts: isKnownRefusal,
    });
    const message = field(page, 'message');
    if (typeof message === 'string') return message;
    readPage(page, requested, query.onBar);
    token = nextToken(page);
    if (token === null) return null;
    if (tokens.has(token) || tokens.size >= MAX_PAGES) throw error('unreadable', 'returned endless pages');
    tokens.add(token);
  }
}

function pageUrl(baseUrl: string, query: BarQuery, token: string | null): URL {
  return requestUrl(baseUrl, '/v2/stocks/bars', {
    symbols: query.symbols.join(','),
    timeframe: query.timeframe,
    adjustment: query.adjustment,
    feed: 'sip',
    start: new Date(query.start).toISOString(),
    end: new Date(query.end).toISOString(),
    limit: String(BARS_PER_PAGE),
    ...(token === null ? {} : { page_token: token }),
  });
}

function readPage(page: unknown, requested: ReadonlySet<string>, onBar: BarQuery['onBar']): void {
  const bars = field(page, 'bars');
  if (typeof bars !== 'object' || Array.isArray(bars)) throw unknownFormat('alpaca');
  // Alpaca sends null if there are no bars.
  for (const [symbol, list] of Object.entries(bars ?? {})) {
    const ofSymbol = listIn(list ?? []);
    if (ofSymbol === null || !requested.has(symbol)) throw unknownFormat('alpaca');
    for (const bar of ofSymbol) onBar(symbol, bar);
  }
}

function nextToken(page: unknown): string | null {
  const token = field(page, 'next_page_token') ?? '';
  if (typeof token !== 'string') throw unknownFormat('alpaca');
  return token === '' ? null : token;
}

const isTooRecent = (text: string) => /recent sip data/i.test(text);

/**
 * True for a refusal that is handled here: the request is retried without some symbols, or gets a clearer error
 * message.
 */
function isKnownRefusal({ status, text }: HttpResponse): boolean {
  if (text.length > 10_000) return false;
  return (status === 400 && /invalid symbol/i.test(text)) || (status === 403 && isTooRecent(text));
}

/** The time of a bar (epoch ms); NaN if unreadable. */
export function instantOf(time: unknown): number {
  return typeof time === 'string' && /^\d{4}-\d\d-\d\dT/.test(time) && time.length <= 40
    ? Date.parse(time)
    : Number.NaN;
}

function error(failure: 'refused' | 'unreadable', what: string): ProviderError {
  return new ProviderError('alpaca', failure, `Alpaca ${what}; see docs/live-data.md.`);
}
