import { fetchCsv, isoDay } from './csv-file.ts';
import { requestUrl } from './http-client.ts';
import { type Provider, readParts } from './provider.ts';
import { closedSessions, comparedFrom, seriesProvider } from './validators.ts';

const COLUMNS = { treasury_10y_yield: '10 Yr' } as const;
const CURVE = 'daily_treasury_yield_curve';
const FOLDER = '/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv';

/** https://home.treasury.gov/resource-center/data-chart-center/interest-rates: par yields, a file per year. */
export function createTreasury({ baseUrl }: { baseUrl: string }): Provider {
  return seriesProvider('treasury', { codes: COLUMNS, ownCalendar: true }, async (validator, request) => {
    const days = closedSessions({ ...request, from: comparedFrom(request.from) });
    await readParts([...new Set(days.map((day) => day.slice(0, 4)))], request.problems, async (year) => {
      const query = { type: CURVE, field_tdr_date_value: year, page: '', _format: 'csv' };
      const url = requestUrl(baseUrl, `${FOLDER}/${year}/all`, query);
      const columns = ['Date', COLUMNS.treasury_10y_yield];
      const rows = await fetchCsv({ provider: 'treasury', url, name: `file of ${year}`, columns }, request);
      for (const [date, value] of rows.reverse()) validator.add('treasury_10y_yield', isoDay(date), value);
    });
  });
}
