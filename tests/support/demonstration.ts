import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { copyTemplate, digestOfMigrations } from './embedded.ts';
import { madeOnce } from './made-once.ts';
import { copyData } from './postgres.ts';
import { runCommand } from './product.ts';

/**
 * Name of the demonstration data. It contains the hour in which this process started, so that all copies of the data
 * are of one hour.
 */
export const DEMONSTRATION = `demonstration-${Math.floor(Date.now() / 3_600_000)}-${digestOfMigrations()}`;

/** Records every run of the next day as done, so that a server leaves the data unchanged. */
const ALL_DONE = `
  insert into collector.runs (job, source, period, is_scheduled, status, started_at, finished_at)
  select 'collect', 'simulated', period, true, 'succeeded', now(), now()
  from generate_series(date_trunc('hour', now()), now() + interval '1 day', interval '30 minutes') as period`;

/** Computes the demonstration data once per hour, which takes seconds; all test files share it. */
const made = () =>
  madeOnce(DEMONSTRATION, async (folder) => {
    const data = join(folder, 'data');
    mkdirSync(data);
    await copyTemplate(join(data, 'database'));
    const { code, stderr } = await runCommand(['backfill'], { BAROMETER_DATA_DIR: data });
    if (code !== 0) throw new Error(`The demonstration data could not be made: ${stderr}`);
    await writeTables(data, join(folder, 'tables'));
  });

/** Freezes the data, and writes each filled table to a file in the format of `copy`. */
async function writeTables(data: string, tables: string): Promise<void> {
  mkdirSync(tables);
  const database = await openEmbedded({ folder: join(data, 'database') });
  try {
    await database.transaction(async (transaction) => {
      await transaction.query(ALL_DONE);
      // Each database has its own rows in the rest of the schema operations.
      const names = await transaction.query<{ name: string }>(
        `select schemaname || '.' || tablename as name from pg_tables
         where schemaname in ('public', 'collector')`,
      );
      for (const { name } of names) {
        const rows = await buffer(transaction.copyOut(`copy ${name} to stdout`));
        if (rows.length > 0) writeFileSync(join(tables, name), rows);
      }
    });
  } finally {
    await database.close();
  }
}

/** Makes `folder` a data folder with the demonstration data, as a stopped server leaves it. */
export async function copyDemonstration(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  copyData(`${await made()}/data/.`, folder);
}

/** Inserts the same rows into an empty migrated database of either engine. */
export async function loadDemonstration(database: Database): Promise<void> {
  const tables = join(await made(), 'tables');
  await database.transaction(async (transaction) => {
    for (const name of readdirSync(tables)) {
      await transaction.copyIn(`copy ${name} from stdin`, readFileSync(join(tables, name)));
    }
    const identities = await transaction.query<{ name: string; column: string }>(
      `select table_schema || '.' || table_name as name, column_name as column from information_schema.columns
       where is_identity = 'YES' and table_schema in ('public', 'collector')`,
    );
    for (const { name, column } of identities) {
      const sequence = `pg_get_serial_sequence('${name}', '${column}')`;
      await transaction.query(`select setval(${sequence}, max(${column})) from ${name} having count(*) > 0`);
    }
  });
}
