import { fetchCsv } from './csv-file.ts';
import { requestUrl } from './http-client.ts';
import type { Provider } from './provider.ts';
import { seriesProvider } from './validators.ts';

const NAME = 'fsi.csv';
const COLUMNS = { ofr_stress_index: 'OFR FSI' } as const;

/**
 * The Financial Stress Index of the US Office of Financial Research, https://www.financialresearch.gov/financial-stress-index:
 * one file since 2000, published two trading days late. 0 is the average; higher is more stress.
 */
export function createOfr({ baseUrl }: { baseUrl: string }): Provider {
  const url = requestUrl(baseUrl, `/financial-stress-index/data/${NAME}`);
  const file = { provider: 'ofr', url, name: NAME, columns: ['Date', COLUMNS.ofr_stress_index] } as const;
  return seriesProvider('ofr', { codes: COLUMNS, ownCalendar: true }, async (validator, request) => {
    for (const [day = '', value] of await fetchCsv(file, request))
      validator.add('ofr_stress_index', day, value);
  });
}
