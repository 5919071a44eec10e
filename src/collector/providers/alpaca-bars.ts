import type { HttpAnswer, HttpClient } from './http-client.ts';
import { field, listIn } from './json.ts';
import { ProviderError } from './provider-error.ts';

/** A free account has the consolidated tape once it is 15 minutes old; one more for what the way takes. */
const HELD_BACK = 16 * 60_000;
const BARS_A_PAGE = 10_000;
/** What can be a symbol; with a comma in it one would be two, which were not asked for. */
const SYMBOL = /^[A-Z0-9.]{1,16}$/;
/** Pages may come half full; beyond so many they are not going to end. */
const MOST_PAGES = 100;

/** `/v2/stocks/bars` of an account. */
export interface AlpacaAccount {
  readonly baseUrl: string;
  readonly keyId: string;
  readonly secretKey: string;
}

export interface AlpacaBarQuery {
  readonly http: HttpClient;
  readonly now: number;
  /** As Alpaca spells them. */
  readonly symbols: readonly string[];
  readonly timeframe: '1Day' | '1Min';
  readonly adjustment: 'all' | 'raw';
  /** Epoch ms, both included; the end is moved to where the figures reach. */
  readonly start: number;
  readonly end: number;
  /** A bar of a symbol asked for: `{t,o,h,l,c,v}`, not looked at yet. */
  onBar(symbol: string, bar: unknown): void;
}

/** Up to when Alpaca gives figures (epoch ms), by its own clock where ours is ahead of it. */
export function alpacaReach(http: HttpClient, now: number): number {
  return now + Math.min(0, http.clockOffset('alpaca') ?? 0) - HELD_BACK;
}

/**
 * Asks for bars, page by page, but for those of symbols that Alpaca does not take. Throws ProviderError.
 * https://docs.alpaca.markets/reference/stockbars
 */
export async function askAlpacaBars(account: AlpacaAccount, query: AlpacaBarQuery): Promise<void> {
  const { http, now } = query;
  let symbols = query.symbols.filter((symbol) => SYMBOL.test(symbol));
  for (let reach = alpacaReach(http, now); symbols.length > 0; ) {
    const refusal = await askPages(account, { ...query, symbols, end: Math.min(query.end, reach) });
    if (refusal === null) return;
    if (isTooRecent(refusal)) {
      // The refusal told the time at Alpaca: when that says no more than we knew, asking again is no use.
      const known = reach;
      reach = alpacaReach(http, now);
      if (reach >= known) throw error('refused', 'holds the figures asked for back from this account');
      continue;
    }
    // One wrong symbol costs the whole request, so each is asked for once and then left out.
    const named = new Set(refusal.split(/[^A-Za-z0-9./-]+/));
    const left = symbols.filter((symbol) => !named.has(symbol));
    if (left.length === symbols.length) throw error('refused', 'did not take the symbols asked for');
    symbols = left;
  }
}

/** Reads all pages; answers null, or the message by which Alpaca refused the request. */
async function askPages(account: AlpacaAccount, query: AlpacaBarQuery): Promise<string | null> {
  const asked = new Set(query.symbols);
  const tokens = new Set<string>();
  for (let token: string | null = null; ; ) {
    const answer: unknown = await query.http.getJson({
      provider: 'alpaca',
      url: address(account.baseUrl, query, token),
      headers: { 'APCA-API-KEY-ID': account.keyId, 'APCA-API-SECRET-KEY': account.secretKey },
      isAnswer: isKnownRefusal,
    });
    const message = field(answer, 'message');
    if (typeof message === 'string') return message;
    readPage(answer, asked, query.onBar);
    token = nextToken(answer);
    if (token === null) return null;
    if (tokens.has(token) || tokens.size >= MOST_PAGES) {
      throw error('unreadable', 'answered pages without an end');
    }
    tokens.add(token);
  }
}

function address(baseUrl: string, query: AlpacaBarQuery, token: string | null): URL {
  const url = new URL('/v2/stocks/bars', baseUrl);
  url.search = new URLSearchParams({
    symbols: query.symbols.join(','),
    timeframe: query.timeframe,
    adjustment: query.adjustment,
    feed: 'sip',
    start: new Date(query.start).toISOString(),
    end: new Date(query.end).toISOString(),
    limit: String(BARS_A_PAGE),
    ...(token === null ? {} : { page_token: token }),
  }).toString();
  return url;
}

function readPage(answer: unknown, asked: ReadonlySet<string>, onBar: AlpacaBarQuery['onBar']): void {
  const bars = field(answer, 'bars');
  if (typeof bars !== 'object' || Array.isArray(bars)) throw unexpected();
  // Null where there are none.
  for (const [symbol, list] of Object.entries(bars ?? {})) {
    const ofSymbol = listIn(list ?? []);
    if (ofSymbol === null || !asked.has(symbol)) throw unexpected();
    for (const bar of ofSymbol) onBar(symbol, bar);
  }
}

function nextToken(answer: unknown): string | null {
  const token = field(answer, 'next_page_token') ?? '';
  if (typeof token !== 'string') throw unexpected();
  return token === '' ? null : token;
}

const isTooRecent = (text: string) => /recent sip data/i.test(text);

/** What Alpaca says no to and can be asked otherwise. */
function isKnownRefusal({ status, text }: HttpAnswer): boolean {
  if (text.length > 10_000) return false;
  return (status === 400 && /invalid symbol/i.test(text)) || (status === 403 && isTooRecent(text));
}

/** The time of a bar (epoch ms); NaN where it cannot be read. */
export function instantOf(time: unknown): number {
  return typeof time === 'string' && /^\d{4}-\d\d-\d\dT/.test(time) && time.length <= 40
    ? Date.parse(time)
    : Number.NaN;
}

const unexpected = () => error('unreadable', 'answered in a form that is not known');

function error(failure: 'refused' | 'unreadable', what: string): ProviderError {
  return new ProviderError('alpaca', failure, `Alpaca ${what}; docs/operations.md says what to do.`);
}
