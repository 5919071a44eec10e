import { formatDay, parseDay } from '#domain/calendar/days.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { field, listIn } from './json.ts';
import { PROVIDER_LABELS } from './names.ts';
import { createSeriesValues } from './plausible-series.ts';
import type { Provider, SeriesRequest } from './provider.ts';
import { ProviderError, statusError } from './provider-error.ts';
import { readEachSeries, seriesIn } from './read-parts.ts';

const SERIES = {
  high_yield_oas: 'BAMLH0A0HYM2',
  investment_grade_oas: 'BAMLC0A0CM',
  treasury_10y_yield: 'DGS10',
  sp500_close: 'SP500',
  nasdaq_composite_close: 'NASDAQCOM',
  dow_jones_close: 'DJIA',
} as const satisfies Partial<Record<SeriesName, string>>;
type FredSeries = keyof typeof SERIES;

/** Extra days before the range, so that its first value can be compared with an earlier one. */
const DAYS_BEFORE = 10;

/**
 * Data of the Federal Reserve Bank of St. Louis, https://fred.stlouisfed.org/docs/api/fred/series_observations.html.
 * A dot means no value, values come a day late, and credit spreads reach back three years. Bond series follow the
 * bond market's calendar, so values of days without stock trading are ignored.
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
    const body = await request.http.getJson({
      provider: 'fred',
      url,
      accepts: ({ status }) => status === 400,
    });
    const values = createSeriesValues(name, request, {
      label: PROVIDER_LABELS.fred,
      of: SERIES[name],
      ownCalendar: true,
    });
    for (const observation of observationsIn(body, SERIES[name])) {
      const value = field(observation, 'value');
      if (value !== '.') values.offer(String(field(observation, 'date')), value);
    }
    return values.accepted;
  }

  return {
    name: 'fred',
    label: PROVIDER_LABELS.fred,
    gives: Object.keys(SERIES) as FredSeries[],
    givesOpenSession: [],
    readSeries: (request) =>
      readEachSeries(seriesIn(request.series, SERIES), request.problems, (name) => read(name, request)),
  };
}

/** Throws ProviderError without observations. FRED's own message is never repeated, since it may contain the key. */
function observationsIn(body: unknown, id: string): readonly unknown[] {
  const refusal = field(body, 'error_message');
  if (refusal !== undefined) {
    // FRED reports an invalid key with status 400.
    throw statusError('fred', String(refusal).includes('api_key') ? 403 : 400);
  }
  const observations = listIn(field(body, 'observations'));
  if (observations === null) {
    const message = `FRED returned an unknown format for ${id}; see docs/live-data.md.`;
    throw new ProviderError('fred', 'unreadable', message);
  }
  if (observations.length === 0) {
    throw new ProviderError('fred', 'empty', `FRED has no data for ${id}; the next run retries.`);
  }
  return observations;
}
