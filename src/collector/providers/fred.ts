import type { SeriesName } from '#domain/market-history.ts';
import { field, listIn, requestUrl } from './http-client.ts';
import {
  type HttpResponse,
  noDataError,
  type Provider,
  readParts,
  statusError,
  unknownFormat,
} from './provider.ts';
import { comparedFrom, seriesProvider } from './validators.ts';

const SERIES = {
  high_yield_oas: 'BAMLH0A0HYM2',
  investment_grade_oas: 'BAMLC0A0CM',
  treasury_10y_yield: 'DGS10',
  sp500_close: 'SP500',
  nasdaq_composite_close: 'NASDAQCOM',
  dow_jones_close: 'DJIA',
} as const satisfies Partial<Record<SeriesName, string>>;

/**
 * Series of https://fred.stlouisfed.org/docs/api/fred/series_observations.html, a day late, three years of spreads.
 * Values of days without stock trading are ignored. A dot means no value.
 */
export function createFred({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Provider {
  return seriesProvider('fred', { codes: SERIES, ownCalendar: true }, ({ names, add }, request) =>
    readParts(names, request.problems, async (name) => {
      const url = requestUrl(baseUrl, '/fred/series/observations', {
        series_id: SERIES[name],
        api_key: apiKey,
        file_type: 'json',
        observation_start: comparedFrom(request.from),
        observation_end: request.to,
      });
      const body = await request.http.getJson({ provider: 'fred', url, accepts: throwIfKeyRefused });
      for (const observation of observationsIn(body, SERIES[name])) {
        const value = field(observation, 'value');
        if (value !== '.') add(name, String(field(observation, 'date')), value);
      }
    }),
  );
}

/** Throws ProviderError for an invalid key. FRED's own message is never repeated, since it may contain the key. */
function throwIfKeyRefused({ status, text }: HttpResponse): false {
  if (status === 400 && text.includes('api_key')) throw statusError('fred', 403);
  return false;
}

/** Throws ProviderError without observations. */
function observationsIn(body: unknown, id: string): readonly unknown[] {
  const observations = listIn(field(body, 'observations'));
  if (observations === null) throw unknownFormat('fred', ` for ${id}`);
  if (observations.length === 0) throw noDataError('fred', id);
  return observations;
}
