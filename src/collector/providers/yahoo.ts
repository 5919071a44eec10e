import { sessionClose } from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { SETTLED_AFTER } from '../periods.ts';
import { createBarIntake, isSamePrice } from './bar-intake.ts';
import { partByPart } from './part-by-part.ts';
import { createSeriesValues } from './plausible-series.ts';
import { type BarRequest, PROVIDER_LABELS, type Provider } from './provider.ts';
import { ProviderError } from './provider-error.ts';
import { symbolFor } from './symbols.ts';
import { askYahooChart, type Chart, type ChartRow } from './yahoo-chart.ts';

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

/** A level within a session is of the moment up to this age (ms): delayed ones are 15 minutes old. */
const OF_THE_MOMENT = 45 * 60_000;

type DailyRequest = Omit<BarRequest, 'symbols'>;

/** Bars and indices, adjusted for splits and dividends, the newest of a session under way up to its last trade. */
export function createYahoo({ baseUrl }: { baseUrl: string }): Provider {
  return {
    name: 'yahoo',
    label: LABEL,
    gives: GIVES,
    givesOpenSession: GIVES,
    symbolsARequest: 1,

    async readBars(request) {
      const intake = createBarIntake(LABEL, request);
      let observedAt = request.now;
      for (const symbol of request.symbols) {
        const chart = await askYahooChart(baseUrl, symbolFor('yahoo', symbol), request);
        if (chart === null || chart.rows.length === 0) continue;
        offerRows(symbol, chart, request, (row) => intake.take(symbol, row.session, adjusted(row)));
        observedAt = Math.min(observedAt, chart.lastTrade ?? observedAt);
      }
      return { bars: intake.taken(), observedAt };
    },

    async readSeries(request) {
      const reading = new Map<SeriesName, ReadonlyMap<string, number>>();
      const wanted = request.series.filter((name): name is YahooSeries => Object.hasOwn(SYMBOLS, name));
      // One index that fails does not cost the others; the fallback is asked for it as for any that is missing.
      await partByPart(wanted, request.problems, async (name) => {
        reading.set(name, await readCloses(baseUrl, name, request));
      });
      return reading;
    },
  };
}

async function readCloses(
  baseUrl: string,
  name: YahooSeries,
  request: DailyRequest,
): Promise<ReadonlyMap<string, number>> {
  const symbol = SYMBOLS[name];
  const chart = await askYahooChart(baseUrl, symbol, request);
  if (chart === null || chart.rows.length === 0) {
    const message = `Yahoo has nothing of ${symbol}; the next run asks again.`;
    throw new ProviderError('yahoo', 'empty', message);
  }
  const values = createSeriesValues(name, request, { label: LABEL, of: symbol });
  offerRows(symbol, chart, request, ({ session, close, adjustedClose }) => {
    if (isOld(session, chart, request)) {
      const place = { provider: LABEL, of: symbol, session };
      request.problems.refuse('provider', place, 'the last value within the session is too old');
      return;
    }
    const value = adjustedClose ?? close;
    const first = values.taken.get(session);
    const isRepeated = first !== undefined && typeof value === 'number' && isSamePrice(first, value);
    if (!isRepeated) values.offer(session, value);
  });
  return values.taken;
}

/** Whether a level of a session under way would be taken for that of the moment and is not. */
function isOld(session: string, { lastTrade }: Chart, request: DailyRequest): boolean {
  const now = earlierClock(request);
  return lastTrade !== null && sessionClose(session) > now - SETTLED_AFTER && lastTrade < now - OF_THE_MOMENT;
}

/** Now, by whichever clock is behind. */
function earlierClock({ now, http }: Pick<DailyRequest, 'now' | 'http'>): number {
  return now + Math.min(0, http.clockOffset() ?? 0);
}

/** Offers the rows of a chart that have something in them and are what they are taken for. */
function offerRows(
  of: string,
  { rows, lastTrade }: Chart,
  { from, to, now, http, problems }: DailyRequest,
  offer: (row: ChartRow) => void,
): void {
  const newest = rows
    .map(({ session }) => session)
    .sort()
    .at(-1);
  // A row whose closing bell Yahoo has not seen is of a session under way; where it does not say, the newest may be.
  const isUnfinished = (session: string) =>
    lastTrade === null ? session === newest : lastTrade < sessionClose(session);
  // Until then what is read of a session is not taken for its close.
  const settled = earlierClock({ now, http }) - SETTLED_AFTER;
  rows.forEach((row, at) => {
    const { session } = row;
    // Yahoo adds the session under way before it has anything of it.
    if (at === rows.length - 1 && isNothing(row)) return;
    const isAsked = session >= from && session <= to;
    if (isAsked && sessionClose(session) <= settled && isUnfinished(session)) {
      problems.refuse(
        'provider',
        { provider: LABEL, of, session },
        'the last value is of before the closing bell',
      );
    } else offer(row);
  });
}

const isNothing = ({ open, high, low, close }: ChartRow) =>
  [open, high, low, close].every((value) => value === null || value === undefined);

/** Open, high, low, close by the ratio of the adjusted close to the close, and the volume as it is. */
function adjusted({ open, high, low, close, volume, adjustedClose }: ChartRow): unknown[] {
  const ratio =
    typeof close === 'number' && typeof adjustedClose === 'number' ? adjustedClose / close : Number.NaN;
  // What is no number is left as it is, and the bar refused for it; so is a close without its adjusted one.
  const scaled = [open, high, low].map((price) =>
    typeof price === 'number' && ratio > 0 ? price * ratio : price,
  );
  return [...scaled, typeof close === 'number' ? adjustedClose : close, volume];
}
