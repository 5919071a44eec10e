import { readCsvFile } from './csv-file.ts';
import { requestUrl } from './http-client.ts';
import { PROVIDER_LABELS } from './names.ts';
import type { Provider } from './provider.ts';
import { createSeriesValidator } from './series-validator.ts';

const NAME = 'fsi.csv';
/** The column of each series. */
const COLUMNS = { ofr_stress_index: 'OFR FSI' } as const;

/**
 * The Financial Stress Index of the US Office of Financial Research, https://www.financialresearch.gov/financial-stress-index:
 * one file since 2000, published two trading days late. 0 is the average; higher is more stress.
 */
export function createOfr({ baseUrl }: { baseUrl: string }): Provider {
  const label = PROVIDER_LABELS.ofr;
  return {
    name: 'ofr',
    label,
    inputs: ['ofr_stress_index'],
    openSessionInputs: [],
    async readSeries(request) {
      const { http, problems } = request;
      const validator = createSeriesValidator(request, { label, codes: COLUMNS, ownCalendar: true });
      if (validator.names.length === 0) return validator.reading();
      const { text } = await http.get({
        provider: 'ofr',
        url: requestUrl(baseUrl, `/financial-stress-index/data/${NAME}`),
      });
      const file = { provider: 'ofr', name: NAME, columns: ['Date', 'OFR FSI'] } as const;
      for (const [day = '', value] of readCsvFile(text, file, problems))
        validator.add('ofr_stress_index', day, value);
      return validator.reading();
    },
  };
}
