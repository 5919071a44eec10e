import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { field, listIn } from './json.ts';
import type { BarRequest } from './provider.ts';
import { ProviderError } from './provider-error.ts';

/** Forty years of sessions. */
const MOST_ROWS = 10_500;

/** Of which a 32-bit float is sure. */
const DIGITS = 7;

/** One day as Yahoo has it, not looked at yet. */
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
  /** When the last trade was (epoch ms); null when Yahoo does not say. */
  readonly lastTrade: number | null;
}

/** The daily rows of a symbol in Yahoo's spelling; null when it does not know it. Throws ProviderError. */
export async function askYahooChart(
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
  const answer = await http.getJson({ provider: 'yahoo', url, answers: [400, 404, 422] });
  const chart = field(answer, 'chart');
  const failed = field(chart, 'error');
  if (typeof failed === 'object' && failed !== null) return isNothing(failed) ? null : unexpected();
  const result = listIn(field(chart, 'result'))?.[0];
  const meta = field(result, 'meta');
  // Asked for a long time it may answer by months, and of a symbol that was renamed as another.
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

/**
 * Prices come as 32-bit floats: 306.12 as 306.1199951171875, by which a price that stayed would differ from another
 * provider's of the day before.
 */
function withoutNoise(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value;
}

/** Of an unknown symbol, a delisted one, or one that was not listed yet. */
function isNothing(failed: object): boolean {
  const description = field(failed, 'description');
  return (
    field(failed, 'code') === 'Not Found' ||
    (typeof description === 'string' && /^(No data found|Data doesn't exist)/.test(description))
  );
}

/** Epoch seconds as ms; null for what is no time of ours. */
function secondsIn(value: unknown): number | null {
  return typeof value === 'number' && value > 0 && value < 4e9 ? Math.floor(value) * 1000 : null;
}

function unexpected(): never {
  throw new ProviderError(
    'yahoo',
    'unreadable',
    'Yahoo answered in a form that is not known; docs/operations.md says what to do.',
  );
}
