import { expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { emptyMatrix } from '../bar-table.ts';
import { loadStored, storeBackfillPart } from './store.ts';

const { database } = databaseOfTheseTests();

it('loads no values before the axis, which are stored for the risk outlook', async () => {
  const sessions = ['2024-03-04', '2024-03-05', '2024-03-06', '2024-03-07'];
  const series = { sp500_close: Float64Array.of(1, 2, 3, 4) };
  const part = { sessions, series, bars: emptyMatrix([], []), universe: 'Test' };
  await storeBackfillPart(database, part, 'simulated');
  const { history } = await database.transaction((transaction) =>
    loadStored(transaction, 'Test', { first: null, last: '2024-03-06', axisFrom: '2024-03-05' }),
  );
  expect(history).toMatchObject({
    sessions: sessions.slice(1, 3),
    series: { sp500_close: Float64Array.of(2, 3) },
  });
});
