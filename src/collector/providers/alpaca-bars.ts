import type { HttpClient, HttpResponse } from './http-client.ts';
import { field, listIn } from './json.ts';
import { ProviderError } from './provider-error.ts';

/** A free account gets consolidated trades after 15 minutes; one more minute for clock differences. */
const DELAY = 16 * 60_000;
const BARS_PER_PAGE = 10_000;
/** Valid symbols. A comma would split one symbol into two. */
const SYMBOL = /^[A-Z0-9.]{1,16}$/;
/** Pages may be half full; more pages than this do not end. */
const MAX_PAGES = 100;

/** Credentials for `/v2/stocks/bars`. */
export interface AlpacaAccount {
  readonly baseUrl: string;
  readonly keyId: string;
  readonly secretKey: string;
}

export interface AlpacaBarQuery {
  readonly http: HttpClient;
  readonly now: number;
  /** In Alpaca's spelling. */
  readonly symbols: readonly string[];
  readonly timeframe: '1Day' | '1Min';
  readonly adjustment: 'all' | 'raw';
  /** Epoch ms, both inclusive. The end is at most `delayedNow`. */
  readonly start: number;
  readonly end: number;
  /** Receives each bar of a requested symbol, `{t,o,h,l,c,v}`, not validated. */
  onBar(symbol: string, bar: unknown): void;
}

/** The newest instant Alpaca has data of (epoch ms). */
export function delayedNow(now: number): number {
  return now - DELAY;
}

/**
 * Fetches all pages of bars. Leaves out symbols that Alpaca rejects. Throws ProviderError.
 * https://docs.alpaca.markets/reference/stockbars
 */
export async function fetchAlpacaBars(account: AlpacaAccount, query: AlpacaBarQuery): Promise<void> {
  const end = Math.min(query.end, delayedNow(query.now));
  let symbols = query.symbols.filter((symbol) => SYMBOL.test(symbol));
  while (symbols.length > 0) {
    const refusal = await fetchPages(account, { ...query, symbols, end });
    if (refusal === null) return;
    if (isTooRecent(refusal)) {
      const help = "check this computer's clock and the account's market data plan";
      throw new ProviderError('alpaca', 'refused', `Alpaca refused data as too recent; ${help}.`);
    }
    // One invalid symbol fails the whole request, so retry without the symbols that the message names.
    const rejected = new Set(refusal.split(/[^A-Za-z0-9./-]+/));
    const left = symbols.filter((symbol) => !rejected.has(symbol));
    if (left.length === symbols.length) throw error('refused', 'rejected the requested symbols');
    symbols = left;
  }
}

/** Fetches all pages. Returns null, or Alpaca's message if it refused the request. */
async function fetchPages(account: AlpacaAccount, query: AlpacaBarQuery): Promise<string | null> {
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

function pageUrl(baseUrl: string, query: AlpacaBarQuery, token: string | null): URL {
  const url = new URL('/v2/stocks/bars', baseUrl);
  url.search = new URLSearchParams({
    symbols: query.symbols.join(','),
    timeframe: query.timeframe,
    adjustment: query.adjustment,
    feed: 'sip',
    start: new Date(query.start).toISOString(),
    end: new Date(query.end).toISOString(),
    limit: String(BARS_PER_PAGE),
    ...(token === null ? {} : { page_token: token }),
  }).toString();
  return url;
}

function readPage(page: unknown, requested: ReadonlySet<string>, onBar: AlpacaBarQuery['onBar']): void {
  const bars = field(page, 'bars');
  if (typeof bars !== 'object' || Array.isArray(bars)) throw unexpected();
  // Null without bars.
  for (const [symbol, list] of Object.entries(bars ?? {})) {
    const ofSymbol = listIn(list ?? []);
    if (ofSymbol === null || !requested.has(symbol)) throw unexpected();
    for (const bar of ofSymbol) onBar(symbol, bar);
  }
}

function nextToken(page: unknown): string | null {
  const token = field(page, 'next_page_token') ?? '';
  if (typeof token !== 'string') throw unexpected();
  return token === '' ? null : token;
}

const isTooRecent = (text: string) => /recent sip data/i.test(text);

/** True for refusals that have a better message, or can be retried without some symbols. */
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

const unexpected = () => error('unreadable', 'returned an unknown format');

function error(failure: 'refused' | 'unreadable', what: string): ProviderError {
  return new ProviderError('alpaca', failure, `Alpaca ${what}; see docs/live-data.md.`);
}
