import { describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { expiredBatches, removeExpired } from './retention.ts';

const at = (text: string) => Date.parse(`${text}-05:00`);
const NOW = at('2026-12-31T12:00');

describe('expiredBatches', () => {
  it('keeps all row sets of the last 30 days', () => {
    expect(expiredBatches([at('2026-12-02T10:00'), at('2026-12-02T11:00')], NOW)).toEqual([]);
  });

  it('removes a row set only after exactly 30 days', () => {
    const [morning, close] = [at('2026-12-01T11:59'), at('2026-12-01T16:00')];
    expect(expiredBatches([morning, close], at('2026-12-31T11:59'))).toEqual([]);
    // The close is less than 30 days old, so the latest expired row set is from the morning.
    expect(expiredBatches([morning - 60_000, morning, close], at('2026-12-31T12:00'))).toEqual([
      morning - 60_000,
    ]);
  });

  it('keeps only the closing row set of earlier sessions [R3]', () => {
    const [morning, noon, close] = [at('2026-11-20T10:00'), at('2026-11-20T12:00'), at('2026-11-20T16:00')];
    expect(expiredBatches([close, morning, noon], NOW)).toEqual([morning, noon]);
    expect(expiredBatches([morning, noon, close], NOW)).toEqual([morning, noon]);
  });

  it('keeps the latest row set of an earlier session without a closing row set', () => {
    const [morning, noon] = [at('2026-11-20T10:00'), at('2026-11-20T12:00')];
    expect(expiredBatches([noon, morning], NOW)).toEqual([morning]);
  });

  it('keeps the closing row set of a half-day', () => {
    const [close, later] = [at('2026-11-27T13:00'), at('2026-11-27T14:00')];
    expect(expiredBatches([close, later], NOW)).toEqual([later]);
  });
});

const { database, run } = databaseOfTheseTests();

it('keeps the old closes of the S&P 500 and the VIX for the risk outlook only', async () => {
  await run(`insert into collector.series (name, session, value)
    select name, session, 1 from unnest(array['sp500_close', 'vix_close', 'put_call_total']) as name,
      unnest(array[date '2010-01-04', '2026-12-30']) as session`);
  await run("insert into collector.series values ('sp500_close', '1990-01-02', 1)");
  await database.transaction((transaction) => removeExpired(transaction, NOW, 'live'));
  const rows = await run('select name, session from collector.series order by session, name');
  expect(rows.map(({ name, session }) => `${name} ${session}`)).toEqual([
    'sp500_close 1990-01-02',
    'sp500_close 2010-01-04',
    'vix_close 2010-01-04',
    'put_call_total 2026-12-30',
    'sp500_close 2026-12-30',
    'vix_close 2026-12-30',
  ]);
});

it('removes old records, and stored bars that no run reads any more', async () => {
  const times = "from unnest(array['2025-11-20', '2025-12-01']::timestamptz[]) as at";
  await run(`insert into collector.runs (job, source, period, is_scheduled, started_at, status)
    select 'collect', 'csv', at, true, at, 'failed' ${times}`);
  await run(
    `insert into public.input_origins (input, source, created_at) select 'vix_close', 'csv', at ${times}`,
  );
  await run(
    "insert into collector.symbols (id, symbol, name, sector) overriding system value values (1, 'OLD', '', ''), (2, 'NEW', '', '')",
  );
  await run(`insert into collector.bars (symbol_id, session, open, high, low, close, volume)
    values (1, '2020-01-02', 1, 1, 1, 1, 1), (2, '2026-12-30', 1, 1, 1, 1, 1)`);
  const left = async (source: 'live' | 'csv') => {
    await database.transaction((transaction) => removeExpired(transaction, NOW, source));
    const [row] = await run(
      `select (select count(*) from collector.runs)::int as runs,
         (select count(*) from public.input_origins)::int as origins,
         (select string_agg(symbol, ' ') from collector.symbols) as symbols`,
    );
    return row;
  };
  const records = { runs: 1, origins: 1 };
  expect(await left('csv')).toEqual({ ...records, symbols: 'OLD NEW' });
  expect(await left('live')).toEqual({ ...records, symbols: 'NEW' });
});
