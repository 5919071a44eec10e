import { describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { writeFutureRows } from '#tests/support/future-rows.ts';
import { readMarket } from './read-market.ts';

const NOW = Date.parse('2026-11-14T14:00:00Z');

describe('the input of the weekly signal', () => {
  const { database, script } = databaseOfTheseTests();

  it('is empty for an empty database', async () => {
    const { rows, origins } = await readMarket(database, NOW);
    expect([rows.metrics, rows.fearGreed.current, rows.sectors, origins]).toEqual([null, null, [], []]);
  });

  it("is the page's newest rows with their origins", async () => {
    await script(`
        insert into public.market_metrics (market_exposure, overall_strength, source, created_at) values
          (40, 41, 'live', '2026-11-12T21:00:00Z'), (54, 58, 'live', '2026-11-13T21:00:00Z');
        insert into public.input_origins (input, provider, session, observed_at, source, created_at) values
          ('vix_close', 'cboe', '2026-11-12', '2026-11-12T21:00:00Z', 'live', '2026-11-12T21:00:00Z'),
          ('vix_close', 'yahoo', '2026-11-13', '2026-11-13T21:00:00Z', 'live', '2026-11-13T21:00:00Z')`);
    const { rows, origins } = await readMarket(database, NOW);
    expect(rows.metrics?.market_exposure).toBe(54);
    expect(origins.map(({ input, provider, session }) => [input, provider, session])).toEqual([
      ['vix_close', 'yahoo', '2026-11-13'],
    ]);
  });

  it('has no rows of the future [R23]', async () => {
    await writeFutureRows(
      database,
      `insert into public.market_metrics (market_exposure, source, created_at) values (99, 'live', '2999-01-02T21:00:00Z')`,
    );
    expect((await readMarket(database, NOW)).rows.metrics?.market_exposure).toBe(54);
  });
});
