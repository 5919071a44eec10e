import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { OriginsTable } from './origins-table.tsx';

const friday = {
  ...{ session: '2026-11-13', observed_at: '2026-11-13T21:00:00.000Z' },
  ...{ fetched_at: '2026-11-13T21:31:04.000Z', created_at: '2026-11-13T21:00:00.000Z' },
};
const thursday = { session: '2026-11-12', observed_at: '2026-11-12T21:00:00.000Z' };

// `src/views/origins-view.test.ts` has the words of the other inputs.
test('has a row per input, and marks values of an earlier session', () => {
  const rows = [
    { ...friday, input: 'vix_close', provider: 'cboe' },
    { ...friday, ...thursday, input: 'treasury_10y_yield', provider: 'fred' },
  ];
  const html = renderToString(<OriginsTable rows={rows} page={{ universe: 'S&P 500', advanced: null }} />);
  const cells = [...html.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd].*?<\/t[hd]>/gs)].map(([cell]) => cell.replaceAll(/<[^>]*>/g, '').trim()),
  );
  expect(cells.map(([name, ...others]) => [name?.replace(/ for .*/, ''), ...others])).toEqual([
    ['Input', 'From', 'Observed', 'Fetched'],
    ['VIX', 'Cboe', 'Fri 13 Nov, close', 'fetched 13 Nov 16:31'],
    ['10-year Treasury yield', 'FRED', 'Thu 12 Nov, close earlier session', 'fetched 13 Nov 16:31'],
  ]);
  expect(html.match(/<th scope="row">/g)).toHaveLength(2);
});
