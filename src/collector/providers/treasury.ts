import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { newestClosedSession, sessionsBetween } from '#domain/calendar/sessions.ts';
import { isoDay, readCsvFile } from './csv-file.ts';
import { requestUrl } from './http-client.ts';
import { PROVIDER_LABELS } from './names.ts';
import type { Provider } from './provider.ts';
import { readParts } from './provider-error.ts';
import { createSeriesValidator } from './series-validator.ts';

/** The column of each series. */
const COLUMNS = { treasury_10y_yield: '10 Yr' } as const;
const CURVE = 'daily_treasury_yield_curve';
const FOLDER = '/resource-center/data-chart-center/interest-rates/daily-treasury-rates.csv';
/** Extra days before the range, so that its first value can be compared with an earlier one. */
const DAYS_BEFORE = 10;

/**
 * Par yields of the US Treasury, https://home.treasury.gov/resource-center/data-chart-center/interest-rates: one file per
 * year, newest day first, published in the evening of each trading day of bonds.
 */
export function createTreasury({ baseUrl }: { baseUrl: string }): Provider {
  const label = PROVIDER_LABELS.treasury;
  return {
    name: 'treasury',
    label,
    inputs: ['treasury_10y_yield'],
    openSessionInputs: [],
    async readSeries(request) {
      const { from, to, now, http, problems } = request;
      const validator = createSeriesValidator(request, { label, codes: COLUMNS, ownCalendar: true });
      const [last = to] = [to, newestClosedSession(now)].sort();
      const first = formatDay(parseDay(from) - DAYS_BEFORE);
      const days = first > last ? [] : sessionsBetween(first, last);
      const years = validator.names.length === 0 ? [] : [...new Set(days.map((day) => day.slice(0, 4)))];
      await readParts(years, problems, async (year) => {
        const query = { type: CURVE, field_tdr_date_value: year, page: '', _format: 'csv' };
        const url = requestUrl(baseUrl, `${FOLDER}/${year}/all`, query);
        const { text } = await http.get({ provider: 'treasury', url });
        const file = { provider: 'treasury', name: `file of ${year}`, columns: ['Date', '10 Yr'] } as const;
        for (const [date, value] of readCsvFile(text, file, problems).reverse())
          validator.add('treasury_10y_yield', isoDay(date), value);
      });
      return validator.reading();
    },
  };
}
