import { expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { readFirstAndNewestReadings } from './revised-days.ts';

const { database, run } = databaseOfTheseTests();

const rows = (vix: number, strengths: readonly number[]) => ({
  market_metrics: [{ market_exposure: 40 }],
  advanced_indicators: [{ vix }],
  sector_strength: strengths.map((strength) => ({ strength })),
  market_sentiment: [{ timeframe: 'long', score: 70 }],
  market_breadth: [{ advancing_stocks: 30, declining_stocks: 60, unchanged_stocks: 10 }],
});

it('reads the first and the newest publication of each session that was published on its own day', async () => {
  const publications = [
    { session: '2026-11-05', source: 'live', origin: 'live', rows: rows(20, [40, 60]) },
    { session: '2026-11-05', source: 'live', origin: 'live', rows: rows(21, [40, 60]) },
    { session: '2026-11-05', source: 'live', origin: 'live', rows: rows(22, [40, 70]) },
    { session: '2026-11-06', source: 'live', origin: 'rebuilt', rows: rows(1, []) },
    { session: '2026-11-09', source: 'simulated', origin: 'live', rows: rows(1, []) },
    { session: '2026-11-10', source: 'csv', origin: 'live', rows: {} },
  ];
  await run(
    `insert into archive.publications (created_at_batch, session, kind, published_at, source, origin, rows, sha256)
     select session + time '21:00', session, 'close', '2026-11-11', source::public.market_source, origin, rows, '\\x00'
     from json_to_recordset($1::json) as added (session date, source text, origin text, rows json)`,
    [JSON.stringify(publications)],
  );
  const days = await database.transaction(readFirstAndNewestReadings, { readOnly: true });
  const same = { marketExposure: 40, long: 70, breadth: 30, fearGreed: null, short: null, putCall: null };
  expect(days).toEqual([
    {
      session: '2026-11-05',
      published: expect.objectContaining({ ...same, vix: 20, sectors: 50 }),
      final: expect.objectContaining({ ...same, vix: 22, sectors: 55 }),
    },
  ]);
});
