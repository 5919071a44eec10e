import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { type EmbeddedForTest, embeddedForTest, MIGRATIONS } from '#tests/support/embedded.ts';
import { marketFolder, smallMarket } from '#tests/support/market-folder.ts';
import { type Postgres, startPostgres } from '#tests/support/postgres.ts';
import { PUBLISHED_TABLES } from './publish/row-sets.ts';
import { backfill } from './run-collector.ts';
import { createCsvSource } from './sources/csv-source.ts';

const NOW = Date.parse('2024-03-08T22:00:00Z');

describe('the collector on a Postgres server', () => {
  const folder = marketFolder(smallMarket('2023-09-01', '2024-03-08'));
  let postgres: Postgres;
  let served: Database;
  let embedded: EmbeddedForTest;

  beforeAll(async () => {
    postgres = await startPostgres();
    const url = await postgres.createDatabase('market');
    served = await openPostgres({ url, migrationsFolder: MIGRATIONS });
    embedded = await embeddedForTest();
  });
  afterAll(async () => {
    await served.close();
    await postgres.stop();
    await embedded.remove();
    folder.remove();
  });

  it('publishes the same rows as on the embedded database', async () => {
    const run = (database: Database) =>
      backfill({ database, source: createCsvSource({ dir: folder.dir }), now: () => NOW });
    const { rowsWritten } = await run(served);
    expect(await run(embedded.database)).toMatchObject({ rowsWritten });
    expect(await run(served)).toMatchObject({ rowsWritten: 0 });
    expect(await dump(served)).toEqual(await dump(embedded.database));
  });
});

const dump = (database: Database) =>
  database.transaction(async (transaction) => {
    const rows: unknown[] = [];
    for (const { name, columns } of PUBLISHED_TABLES) {
      rows.push(
        await transaction.query(`select created_at, source, ${columns.join(', ')} from ${name} order by id`),
      );
    }
    rows.push(await transaction.query('select * from collector.bars order by symbol_id, session'));
    rows.push(await transaction.query('select * from collector.series order by name, session'));
    return rows;
  });
