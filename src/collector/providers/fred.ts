import { formatDay, parseDay } from '#domain/calendar/days.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { describeFailure } from './failures.ts';
import { field, listIn } from './json.ts';
import { partByPart } from './part-by-part.ts';
import { createSeriesValues } from './plausible-series.ts';
import { PROVIDER_LABELS, type Provider, type SeriesRequest } from './provider.ts';
import { ProviderError } from './provider-error.ts';

const SERIES = {
  high_yield_oas: 'BAMLH0A0HYM2',
  investment_grade_oas: 'BAMLC0A0CM',
  treasury_10y_yield: 'DGS10',
  sp500_close: 'SP500',
  nasdaq_composite_close: 'NASDAQCOM',
  dow_jones_close: 'DJIA',
} as const satisfies Partial<Record<SeriesName, string>>;
type FredSeries = keyof typeof SERIES;

const GIVES = Object.keys(SERIES) as FredSeries[];
const isFredSeries = (name: SeriesName): name is FredSeries => name in SERIES;

/** Days before the range that are asked for too, so that its first value can be measured by one before it. */
const DAYS_BEFORE = 10;

/**
 * The Federal Reserve Bank of St. Louis' data, https://fred.stlouisfed.org/docs/api/fred/series_observations.html:
 * a dot is no value, a day's value comes a day late, credit spreads reach back three years. Its days are those of
 * the bond market where it quotes one, so that a value of a day without stock trading is passed over.
 */
export function createFred({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Provider {
  async function read(name: FredSeries, request: SeriesRequest): Promise<ReadonlyMap<string, number>> {
    const url = new URL(`${baseUrl.replace(/\/$/, '')}/fred/series/observations`);
    url.search = new URLSearchParams({
      series_id: SERIES[name],
      api_key: apiKey,
      file_type: 'json',
      observation_start: formatDay(parseDay(request.from) - DAYS_BEFORE),
      observation_end: request.to,
    }).toString();
    const answer = await request.http.getJson({ provider: 'fred', url, answers: [400] });
    const values = createSeriesValues(name, request, {
      label: PROVIDER_LABELS.fred,
      of: SERIES[name],
      ownCalendar: true,
    });
    for (const observation of observationsIn(answer, SERIES[name])) {
      const value = field(observation, 'value');
      if (value !== '.') values.offer(String(field(observation, 'date')), value);
    }
    return values.taken;
  }

  return {
    name: 'fred',
    label: PROVIDER_LABELS.fred,
    gives: GIVES,
    givesOpenSession: [],
    async readSeries(request) {
      const reading = new Map<SeriesName, ReadonlyMap<string, number>>();
      await partByPart(request.series.filter(isFredSeries), request.problems, async (name) => {
        reading.set(name, await read(name, request));
      });
      return reading;
    },
  };
}

/** Throws ProviderError where there are none. What FRED says in words is not passed on: it may repeat the key. */
function observationsIn(answer: unknown, id: string): readonly unknown[] {
  const refusal = field(answer, 'error_message');
  if (refusal !== undefined) {
    const status = String(refusal).includes('api_key') ? 403 : 400;
    throw new ProviderError('fred', 'refused', describeFailure('fred', 'refused', status), { status: 400 });
  }
  const observations = listIn(field(answer, 'observations'));
  if (observations === null) {
    const message = `FRED's answer of ${id} has another shape than it had; docs/operations.md says what to do.`;
    throw new ProviderError('fred', 'unreadable', message);
  }
  if (observations.length === 0) {
    throw new ProviderError('fred', 'empty', `FRED gave nothing of ${id}; the next run asks again.`);
  }
  return observations;
}
