import { describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { MIDDLING } from '#tests/support/market-tables.ts';
import { writeTables } from '#tests/support/page-over-rows.ts';
import { readSessionRows } from './session-rows.ts';

const { database } = databaseOfTheseTests();

const read = () => database.transaction(readSessionRows, { role: 'anon', readOnly: true, snapshot: true });

/** Returns the tables of MIDDLING with a copy of each row for each time. */
const atTimes = (times: readonly string[]) =>
  Object.fromEntries(
    Object.entries(MIDDLING).map(([table, rows]) => [
      table,
      times.flatMap((created_at) => rows.map((row) => ({ ...row, created_at }))),
    ]),
  );

describe('the rows of all sessions', () => {
  it('are the last rows of each New York day, ascending', async () => {
    // 21:00 UTC on Thursday is the close. 1:00 UTC on Saturday is still Friday evening in New York.
    const times = ['2026-11-12T15', '2026-11-12T21', '2026-11-13T21', '2026-11-14T01'];
    await writeTables(database, atTimes(times.map((hour) => `${hour}:00:00Z`)));
    const rows = await read();
    expect(rows.map(({ session, fearGreed }) => [session, fearGreed?.created_at])).toEqual([
      ['2026-11-12', '2026-11-12T21:00:00.000Z'],
      ['2026-11-13', '2026-11-14T01:00:00.000Z'],
    ]);
    expect(rows[0]).toMatchObject({
      close: 6734.11,
      fearGreed: { index_value: 50, source: 'live' },
      metrics: { market_exposure: 50, overall_strength: 50, source: 'live' },
      indicators: { vix: 25, put_call_ratio: 1, mcclellan_oscillator: 0 },
      breadth: { advancing_stocks: 50, declining_stocks: 50, unchanged_stocks: 0, universe: 'NYSE' },
    });
    expect(rows[0]?.sectors).toHaveLength(11);
    expect(rows[0]?.sectors[0]).toMatchObject({ sector: 'Communication Services', strength: 50 });
    const scores = rows[0]?.sentiment.map(({ timeframe, score }) => `${timeframe} ${score}`);
    expect(scores).toEqual(['short 50', 'medium 50', 'long 50']);
  });

  it('are null or empty for a table without rows of the session', async () => {
    await writeTables(database, { fear_greed_index: MIDDLING.fear_greed_index });
    expect(await read()).toMatchObject([
      {
        ...{ session: '2026-11-13', close: null, metrics: null, indicators: null, breadth: null },
        ...{ sectors: [], sentiment: [] },
      },
    ]);
  });

  it('are an empty list if there is no data', async () => {
    await writeTables(database, {});
    expect(await read()).toEqual([]);
  });
});
