import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { field, listIn } from './json.ts';
import type { BarRequest } from './provider.ts';
import { ProviderError } from './provider-error.ts';

/** Forty years of sessions. */
const MOST_ROWS = 10_500;

/** Significant digits of a 32-bit float. */
const DIGITS = 7;

/** One day of Yahoo's response, not validated. */
export interface ChartRow {
  readonly session: string;
  /** Adjusted for splits. */
  readonly open: unknown;
  readonly high: unknown;
  readonly low: unknown;
  readonly close: unknown;
  readonly volume: unknown;
  /** The close adjusted for dividends too. */
  readonly adjustedClose: unknown;
}

export interface Chart {
  readonly rows: readonly ChartRow[];
  /** Time of the last trade (epoch ms); null if Yahoo does not state it. */
  readonly lastTrade: number | null;
}

/** The daily rows of a symbol in Yahoo's spelling; null for an unknown symbol. Throws ProviderError. */
export async function fetchYahooChart(
  baseUrl: string,
  symbol: string,
  { from, to, http }: Pick<BarRequest, 'from' | 'to' | 'http'>,
): Promise<Chart | null> {
  const url = new URL(`/v8/finance/chart/${encodeURIComponent(symbol)}`, baseUrl);
  url.search = new URLSearchParams({
    interval: '1d',
    period1: String(startOfMarketDay(from) / 1000),
    period2: String(startOfMarketDay(formatDay(parseDay(to) + 1)) / 1000),
  }).toString();
  const body = await http.getJson({
    provider: 'yahoo',
    url,
    accepts: ({ status }) => [400, 404, 422].includes(status),
  });
  const chart = field(body, 'chart');
  const failed = field(chart, 'error');
  if (typeof failed === 'object' && failed !== null) return isUnknownSymbol(failed) ? null : unexpected();
  const result = listIn(field(chart, 'result'))?.[0];
  const meta = field(result, 'meta');
  // Yahoo may return months for a long range, and another symbol after a rename.
  if (field(meta, 'symbol') !== symbol || field(meta, 'dataGranularity') !== '1d') return unexpected();
  return readRows(result, secondsIn(field(meta, 'regularMarketTime')));
}

function readRows(result: unknown, lastTrade: number | null): Chart {
  const timestamps = listIn(field(result, 'timestamp') ?? []);
  const indicators = field(result, 'indicators');
  const quote = listIn(field(indicators, 'quote'))?.[0];
  const adjusted = field(listIn(field(indicators, 'adjclose') ?? [])?.[0], 'adjclose');
  if (timestamps === null || timestamps.length > MOST_ROWS || typeof quote !== 'object') return unexpected();
  const column = (name: string) => listIn(field(quote, name) ?? []) ?? unexpected();
  const [open, high, low, close] = ['open', 'high', 'low', 'close'].map((name) =>
    column(name).map(withoutNoise),
  );
  const volume = column('volume');
  const adjustedClose = (listIn(adjusted ?? []) ?? unexpected()).map(withoutNoise);
  const rows = timestamps.map((timestamp, at) => ({
    session: marketDay(secondsIn(timestamp) ?? unexpected()),
    open: open?.[at],
    high: high?.[at],
    low: low?.[at],
    close: close?.[at],
    volume: volume[at],
    adjustedClose: adjustedClose[at],
  }));
  return { rows, lastTrade };
}

/** Rounds a 32-bit float: 306.1199951171875 to 306.12, so that it equals another provider's price. */
function withoutNoise(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value;
}

/** True if the error means an unknown symbol, a delisted symbol, or one that was not listed yet. */
function isUnknownSymbol(failed: object): boolean {
  const description = field(failed, 'description');
  return (
    field(failed, 'code') === 'Not Found' ||
    (typeof description === 'string' && /^(No data found|Data doesn't exist)/.test(description))
  );
}

/** Epoch seconds as ms; null if the value is not a plausible time. */
function secondsIn(value: unknown): number | null {
  return typeof value === 'number' && value > 0 && value < 4e9 ? Math.floor(value) * 1000 : null;
}

function unexpected(): never {
  throw new ProviderError('yahoo', 'unreadable', 'Yahoo returned an unknown format; see docs/live-data.md.');
}
