import { sessionClose } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { SETTLED_AFTER } from '../periods.ts';
import { createBarIntake, isSamePrice } from './bar-intake.ts';
import { PROVIDER_LABELS, symbolFor } from './names.ts';
import { createSeriesValues } from './plausible-series.ts';
import type { BarRequest, Provider } from './provider.ts';
import { ProviderError } from './provider-error.ts';
import { readEachSeries, seriesIn } from './read-parts.ts';
import { type Chart, type ChartRow, fetchYahooChart } from './yahoo-chart.ts';

const LABEL = PROVIDER_LABELS.yahoo;

const SYMBOLS = {
  sp500_close: '^GSPC',
  nasdaq_composite_close: '^IXIC',
  dow_jones_close: '^DJI',
  vix_close: '^VIX',
  treasury_fund_close: 'IEF',
} as const satisfies Partial<Record<SeriesName, string>>;
type YahooSeries = keyof typeof SYMBOLS;

const GIVES = ['bars', ...(Object.keys(SYMBOLS) as YahooSeries[])] as const;

/** Oldest usable value of an open session (ms); delayed values are 15 minutes old. */
const MAX_AGE = 45 * 60_000;

type DailyRequest = Omit<BarRequest, 'symbols'>;

/** Bars and indices, adjusted for splits and dividends. An open session reaches up to its last trade. */
export function createYahoo({ baseUrl }: { baseUrl: string }): Provider {
  return {
    name: 'yahoo',
    label: LABEL,
    gives: GIVES,
    givesOpenSession: GIVES,
    symbolsPerRequest: 1,

    async readBars(request) {
      const intake = createBarIntake(LABEL, request);
      let observedAt = request.now;
      for (const symbol of request.symbols) {
        const chart = await fetchYahooChart(baseUrl, symbolFor('yahoo', symbol), request);
        if (chart === null || chart.rows.length === 0) continue;
        offerRows(symbol, chart, request, (row) => intake.take(symbol, row.session, adjusted(row)));
        observedAt = Math.min(observedAt, chart.lastTrade ?? observedAt);
      }
      return { bars: intake.accepted(), observedAt };
    },

    readSeries: (request) =>
      readEachSeries(seriesIn(request.series, SYMBOLS), request.problems, (name) =>
        readCloses(baseUrl, name, request),
      ),
  };
}

async function readCloses(
  baseUrl: string,
  name: YahooSeries,
  request: DailyRequest,
): Promise<ReadonlyMap<string, number>> {
  const symbol = SYMBOLS[name];
  const chart = await fetchYahooChart(baseUrl, symbol, request);
  if (chart === null || chart.rows.length === 0) {
    const message = `Yahoo has no data for ${symbol}; the next run retries.`;
    throw new ProviderError('yahoo', 'empty', message);
  }
  const values = createSeriesValues(name, request, { label: LABEL, of: symbol });
  offerRows(symbol, chart, request, ({ session, close, adjustedClose }) => {
    if (isOld(session, chart, request)) {
      const place = { provider: LABEL, of: symbol, session };
      request.problems.refuse('provider', place, 'the last value of the open session is too old');
      return;
    }
    const value = adjustedClose ?? close;
    const first = values.accepted.get(session);
    const isRepeated = first !== undefined && typeof value === 'number' && isSamePrice(first, value);
    if (!isRepeated) values.offer(session, value);
  });
  return values.accepted;
}

/** True if a value of an open session is too old to count as its current value. */
function isOld(session: string, { lastTrade }: Chart, { now }: DailyRequest): boolean {
  return lastTrade !== null && sessionClose(session) > now - SETTLED_AFTER && lastTrade < now - MAX_AGE;
}

/** Passes on the rows of a chart, without an empty last row and without unfinished rows of closed sessions. */
function offerRows(
  of: string,
  { rows, lastTrade }: Chart,
  { from, to, now, problems }: DailyRequest,
  offer: (row: ChartRow) => void,
): void {
  const newest = rows
    .map(({ session }) => session)
    .sort()
    .at(-1);
  // A row is unfinished if Yahoo's last trade is before the closing bell. Without that time, the newest row may be.
  const isUnfinished = (session: string) =>
    lastTrade === null ? session === newest : lastTrade < sessionClose(session);
  // Sessions that closed after this still count as open.
  const settled = now - SETTLED_AFTER;
  rows.forEach((row, at) => {
    const { session } = row;
    // Yahoo adds the open session before it has values of it.
    if (at === rows.length - 1 && isEmpty(row)) return;
    const isRequested = session >= from && session <= to;
    if (isRequested && sessionClose(session) <= settled && isUnfinished(session)) {
      problems.refuse(
        'provider',
        { provider: LABEL, of, session },
        'the last value is from before the closing bell',
      );
    } else offer(row);
  });
}

const isEmpty = ({ open, high, low, close }: ChartRow) =>
  [open, high, low, close].every((value) => value === null || value === undefined);

/** Open, high, low and close, scaled by the ratio of adjusted close to close, and the unchanged volume. */
function adjusted({ open, high, low, close, volume, adjustedClose }: ChartRow): unknown[] {
  const ratio =
    typeof close === 'number' && typeof adjustedClose === 'number' ? adjustedClose / close : Number.NaN;
  // Values that are not numbers stay as they are: the bar is rejected for them.
  const scaled = [open, high, low].map((price) =>
    typeof price === 'number' && ratio > 0 ? price * ratio : price,
  );
  return [...scaled, typeof close === 'number' ? adjustedClose : close, volume];
}
