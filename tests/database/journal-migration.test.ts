import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open.ts';
import { migrate } from '#database/migrate.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres/open.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { hasPostgres, startPostgres } from '#tests/support/postgres.ts';

interface Opened {
  readonly database: Database;
  stop(): Promise<unknown>;
}

const ENGINES = [
  {
    name: 'the embedded database',
    isThere: () => true,
    open: async (folder: string, migrationsFolder: string): Promise<Opened> => {
      const place = join(folder, 'database');
      const database = await openEmbedded({ folder: place, migrationsFolder });
      return { database, stop: () => database.close() };
    },
  },
  {
    name: 'Postgres',
    isThere: hasPostgres,
    open: async (_: string, migrationsFolder: string): Promise<Opened> => {
      const server = await startPostgres();
      const database = await openPostgres({ url: server.url, migrationsFolder });
      return { database, stop: () => database.close().then(server.stop) };
    },
  },
];

/** Times of row sets. `session` is the session of a closing row set, and null for other row sets. */
const BATCHES: readonly (readonly [createdAt: string, session: string | null])[] = [
  ['2026-07-02T20:00:00Z', '2026-07-02'],
  ['2025-07-03T17:00:00Z', '2025-07-03'],
  ['2025-11-28T18:00:00Z', '2025-11-28'],
  ['2025-12-24T18:00:00Z', '2025-12-24'],
  ['2026-11-20T21:00:00Z', '2026-11-20'],
  // Two times within a session: 13:00, and a minute before the closing bell.
  ['2026-11-20T18:00:00Z', null],
  ['2026-11-20T20:59:00Z', null],
  ['2026-11-21T21:00:00Z', null],
];

describe.each(ENGINES)('an earlier database on $name', ({ isThere, open }) => {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-journal-'));
  let opened: Opened;
  beforeAll(async () => {
    if (!isThere()) return;
    const before = join(folder, 'migrations');
    for (const file of readdirSync(MIGRATIONS).filter((name) => name < '20261123100000')) {
      cpSync(join(MIGRATIONS, file), join(before, file));
    }
    opened = await open(folder, before);
    await opened.database.transaction(async (transaction) => {
      for (const table of ['market_metrics', 'sector_strength']) {
        await transaction.query(`alter table ${table} disable trigger future_row_refused`);
      }
      for (const [at] of BATCHES) {
        const values = [at];
        await transaction.query(
          "insert into market_metrics (market_exposure, source, created_at) values (0.1::float8 + 0.2::float8, 'live', $1)",
          values,
        );
        await transaction.query(
          "insert into sector_strength (sector, strength, source, created_at) values ('Utilities', 5, 'live', $1), ('Energy', null, 'live', $1)",
          values,
        );
      }
    });
    await migrate(opened.database, MIGRATIONS);
  });
  afterAll(async () => {
    await opened?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('gets a record of each closing row set, marked as rebuilt', async (context) => {
    if (!isThere()) context.skip('Postgres is not installed on this machine');
    const records = await opened.database.transaction((transaction) =>
      transaction.query(
        `select created_at_batch, session, kind, source, origin, formula_version, rows,
           sha256 = sha256(convert_to(rows::text, 'UTF8')) as is_whole
         from archive.publications order by id`,
      ),
    );
    const closing = BATCHES.filter(([, session]) => session !== null).sort();
    expect(records).toEqual(
      closing.map(([at, session]) => ({
        ...{ created_at_batch: new Date(at).toISOString(), session, kind: 'final', source: 'live' },
        ...{ origin: 'rebuilt', formula_version: null, is_whole: true },
        rows: {
          market_indices: [],
          market_metrics: [{ market_exposure: 0.30000000000000004, overall_strength: null }],
          fear_greed_index: [],
          sector_strength: [
            { sector: 'Utilities', strength: 5 },
            { sector: 'Energy', strength: null },
          ],
          advanced_indicators: [],
          market_sentiment: [],
          market_breadth: [],
          input_origins: [],
        },
      })),
    );
  });
});
