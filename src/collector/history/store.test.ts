import { expect, it } from 'vitest';
import type { MarketHistory } from '#domain/market-history.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { emptyMatrix } from '../bar-table.ts';
import { storeBackfillPart } from './store.ts';

const { database, run } = databaseOfTheseTests();

/** A part with the closes of four sessions. */
const closes = (axisFrom: string, ...values: readonly number[]): MarketHistory => ({
  sessions: ['2024-03-04', '2024-03-05', '2024-03-06', '2024-03-07'],
  series: { sp500_close: Float64Array.from(values) },
  bars: emptyMatrix([], []),
  universe: 'Test',
  axisFrom,
});

it('leaves stored values of the axis alone in a backfill whose axis begins later', async () => {
  await storeBackfillPart(database, closes('2024-03-05', 1, 2, 3, 4), 'simulated');
  await storeBackfillPart(database, closes('2024-03-07', 10, 20, 30, 40), 'simulated');
  const stored = await run('select name, session::text, value from collector.series order by session');
  expect(stored).toEqual([
    { name: 'sp500_earlier_close', session: '2024-03-04', value: 10 },
    { name: 'sp500_close', session: '2024-03-05', value: 2 },
    { name: 'sp500_close', session: '2024-03-06', value: 3 },
    { name: 'sp500_close', session: '2024-03-07', value: 40 },
  ]);
});
