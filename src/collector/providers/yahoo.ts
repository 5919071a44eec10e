import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { marketDay, sessionClose, startOfMarketDay } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { BAR_FIELDS } from '../bar-table.ts';
import { SETTLED_AFTER } from '../periods.ts';
import { field, listIn, requestUrl } from './http-client.ts';
import {
  type BarRequest,
  noDataError,
  PROVIDER_LABELS,
  type Provider,
  readParts,
  symbolFor,
  unknownFormat,
} from './provider.ts';
import { createBarValidator, createSeriesValidator, isSamePrice } from './validators.ts';

const LABEL = PROVIDER_LABELS.yahoo;

const SYMBOLS = {
  sp500_close: '^GSPC',
  nasdaq_composite_close: '^IXIC',
  dow_jones_close: '^DJI',
  vix_close: '^VIX',
  treasury_fund_close: 'IEF',
} as const satisfies Partial<Record<SeriesName, string>>;

const INPUTS = ['bars', ...(Object.keys(SYMBOLS) as (keyof typeof SYMBOLS)[])] as const;

/** Oldest usable value of an open session (ms); delayed values are 15 minutes old. */
const MAX_AGE = 45 * 60_000;

/** Maximum number of rows of a response: forty years of sessions. */
const MOST_ROWS = 10_500;

/** Significant digits of a 32-bit float. */
const DIGITS = 7;

type DailyRequest = Omit<BarRequest, 'symbols'>;

/** Bars and indices, adjusted for splits and dividends. An open session reaches up to its last trade. */
export function createYahoo({ baseUrl }: { baseUrl: string }): Provider {
  return {
    name: 'yahoo',
    label: LABEL,
    inputs: INPUTS,
    openSessionInputs: INPUTS,
    symbolsPerRequest: 1,

    async readBars(request) {
      const validator = createBarValidator(LABEL, request);
      let observedAt = request.now;
      for (const symbol of request.symbols) {
        const chart = await fetchChart(baseUrl, symbolFor('yahoo', symbol), request);
        if (chart === null || chart.rows.length === 0) continue;
        addRows(symbol, chart, request, (row) => validator.add(symbol, row.session, adjusted(row)));
        observedAt = Math.min(observedAt, chart.lastTrade ?? observedAt);
      }
      return { bars: validator.accepted(), observedAt };
    },

    async readSeries(request) {
      const validator = createSeriesValidator(request, { label: LABEL, codes: SYMBOLS });
      await readParts(validator.names, request.problems, async (name) => {
        const symbol = SYMBOLS[name];
        const chart = await fetchChart(baseUrl, symbol, request);
        if (chart === null || chart.rows.length === 0) throw noDataError('yahoo', symbol);
        addRows(symbol, chart, request, ({ session, close, adjustedClose }) => {
          if (isOld(session, chart, request)) {
            const place = { provider: LABEL, item: symbol, session };
            request.problems.refuse('provider', place, 'the last value of the open session is too old');
            return;
          }
          const value = adjustedClose ?? close;
          const first = validator.valueOn(name, session);
          const isRepeated = first !== undefined && typeof value === 'number' && isSamePrice(first, value);
          if (!isRepeated) validator.add(name, session, value);
        });
      });
      return validator.reading();
    },
  };
}

/** True if a value of an open session is too old to count as its current value. */
function isOld(session: string, { lastTrade }: Chart, { now }: DailyRequest): boolean {
  return lastTrade !== null && sessionClose(session) > now - SETTLED_AFTER && lastTrade < now - MAX_AGE;
}

/** Passes on the rows of a chart, without an empty last row and without unfinished rows of closed sessions. */
function addRows(
  item: string,
  { rows, lastTrade }: Chart,
  { from, to, now, problems }: DailyRequest,
  add: (row: ChartRow) => void,
): void {
  const [newest] = rows.map(({ session }) => session).sort((a, b) => (a < b ? 1 : -1));
  // A row is unfinished if Yahoo's last trade is before the closing bell. If that time is unknown, the newest row may
  // be unfinished.
  const isUnfinished = (session: string) =>
    lastTrade === null ? session === newest : lastTrade < sessionClose(session);
  // Sessions that closed after this time count as open.
  const settled = now - SETTLED_AFTER;
  rows.forEach((row, at) => {
    const { session } = row;
    // Yahoo adds the open session before it has values of it.
    if (at === rows.length - 1 && isEmpty(row)) return;
    const isRequested = session >= from && session <= to;
    if (isRequested && sessionClose(session) <= settled && isUnfinished(session)) {
      problems.refuse(
        'provider',
        { provider: LABEL, item, session },
        'the last value is from before the closing bell',
      );
    } else add(row);
  });
}

const isEmpty = ({ open, high, low, close }: ChartRow) =>
  [open, high, low, close].every((value) => value === null || value === undefined);

/** Open, high, low and close, scaled by the ratio of adjusted close to close, and the unchanged volume. */
function adjusted({ open, high, low, close, volume, adjustedClose }: ChartRow): unknown[] {
  const ratio =
    typeof close === 'number' && typeof adjustedClose === 'number' ? adjustedClose / close : Number.NaN;
  // Keeps values that are not numbers, so that the bar is rejected.
  const scaled = [open, high, low].map((price) =>
    typeof price === 'number' && ratio > 0 ? price * ratio : price,
  );
  return [...scaled, typeof close === 'number' ? adjustedClose : close, volume];
}

/** The daily rows of a symbol in Yahoo's spelling; null for an unknown symbol. Throws ProviderError. */
async function fetchChart(
  baseUrl: string,
  symbol: string,
  { from, to, http }: Pick<BarRequest, 'from' | 'to' | 'http'>,
): Promise<Chart | null> {
  const url = requestUrl(baseUrl, `/v8/finance/chart/${encodeURIComponent(symbol)}`, {
    interval: '1d',
    period1: String(startOfMarketDay(from) / 1000),
    period2: String(startOfMarketDay(formatDay(parseDay(to) + 1)) / 1000),
  });
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
  // Yahoo may return monthly rows for a long range, and rows of another symbol after a rename.
  if (field(meta, 'symbol') !== symbol || field(meta, 'dataGranularity') !== '1d') return unexpected();
  return readRows(result, secondsIn(field(meta, 'regularMarketTime')));
}

/** The days of a response, not validated. `lastTrade` is the time of the last trade (epoch ms); null if it is unknown. */
function readRows(result: unknown, lastTrade: number | null) {
  const timestamps = listIn(field(result, 'timestamp') ?? []);
  const indicators = field(result, 'indicators');
  const quote = listIn(field(indicators, 'quote'))?.[0];
  const adjusted = field(listIn(field(indicators, 'adjclose') ?? [])?.[0], 'adjclose');
  if (timestamps === null || timestamps.length > MOST_ROWS || typeof quote !== 'object') return unexpected();
  const column = (name: string) => listIn(field(quote, name) ?? []) ?? unexpected();
  const [open = [], high = [], low = [], close = [], volume = []] = BAR_FIELDS.map(column);
  const adjustedClose = listIn(adjusted ?? []) ?? unexpected();
  const rows = timestamps.map((timestamp, at) => ({
    session: marketDay(secondsIn(timestamp) ?? unexpected()),
    // The values are adjusted for splits, the adjusted close for dividends too.
    open: withoutNoise(open[at]),
    high: withoutNoise(high[at]),
    low: withoutNoise(low[at]),
    close: withoutNoise(close[at]),
    volume: volume[at],
    adjustedClose: withoutNoise(adjustedClose[at]),
  }));
  return { rows, lastTrade };
}
type Chart = ReturnType<typeof readRows>;
type ChartRow = Chart['rows'][number];

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
  throw unknownFormat('yahoo');
}
