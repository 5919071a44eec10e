import type { Transaction } from '../port.ts';
import { entriesOf, type Manifest } from './manifest.ts';
import { MovingError } from './moving-error.ts';
import { readLayout } from './table-rows.ts';
import { MOVED_TABLES } from './tables.ts';

/** The newest migration that a database has. */
export async function newestMigration(transaction: Transaction): Promise<string> {
  const [row] = await transaction.query<{ version: string | null }>(
    'select max(version) as version from supabase_migrations.schema_migrations',
  );
  return row?.version ?? '';
}

function checkMigration(here: string, { migration }: Manifest): void {
  if (migration === here) return;
  const [age, advice] =
    migration > here
      ? ['newer', 'update this one, and import again']
      : ['older', 'update the one it is from, and export again'];
  throw new MovingError(
    `The export is of ${age === 'newer' ? 'a' : 'an'} ${age} Barometer (migration ${migration}; this one has ${here}): ${advice}.`,
  );
}

/** Throws MovingError where an export is not of the tables that a database has. */
export async function checkTables(transaction: Transaction, manifest: Manifest): Promise<void> {
  checkMigration(await newestMigration(transaction), manifest);
  const names = manifest.tables.map(({ name }) => name);
  if (names.join() !== MOVED_TABLES.map(({ name }) => name).join()) {
    throw new MovingError(
      'The export is of other tables than this Barometer has: export again with this version.',
    );
  }
  for (const { table, entry } of entriesOf(manifest)) {
    const { columns } = await readLayout(transaction, table);
    if (columns.join() !== entry.columns.join()) {
      throw new MovingError(
        `The table ${table.name} has other columns than in the export: give both the same migrations, and nothing beside.`,
      );
    }
  }
}
