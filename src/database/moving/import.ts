import type { Database, Transaction } from '../port.ts';
import { checkTables } from './check-tables.ts';
import { closeTables, openTables } from './closed-tables.ts';
import { firstDifference } from './compare.ts';
import { fillTables } from './fill.ts';
import { checksumOf, entriesOf, type Manifest, rowsIn } from './manifest.ts';
import { MovingError } from './moving-error.ts';
import { type ImportOptions, LIMITED } from './options.ts';
import { beginProgress, endProgress, readProgress } from './progress.ts';
import type { Export } from './read-export.ts';
import { countRows, readLayout } from './table-rows.ts';
import { MOVED_TABLES } from './tables.ts';

/** What an import came to. */
export interface Imported {
  readonly tables: number;
  readonly rows: number;
  /** False where the database held exactly this already. */
  readonly isNew: boolean;
}

/** Throws MovingError unless the database is as the migrations leave it. */
async function checkEmpty(transaction: Transaction): Promise<void> {
  const names = MOVED_TABLES.map(({ name }) => name).join(', ');
  // Whoever is writing is waited for, and nobody else begins to until the tables are closed.
  await transaction.query(`lock table ${names} in share row exclusive mode`);
  for (const table of MOVED_TABLES.filter(({ hasOwnRow }) => !hasOwnRow)) {
    const rows = await countRows(transaction, table);
    if (rows > 0) {
      throw new MovingError(
        `The database has other data already (${rows} ${rows === 1 ? 'row' : 'rows'} in ${table.name}), which stays: import into an empty one.`,
      );
    }
  }
}

async function begin(transaction: Transaction, checksum: string): Promise<void> {
  await checkEmpty(transaction);
  for (const { name } of MOVED_TABLES.filter(({ hasOwnRow }) => hasOwnRow)) {
    await transaction.query(`delete from ${name}`);
  }
  await closeTables(transaction);
  await beginProgress(transaction, checksum);
}

/** Has the numbers of new rows go on after those that were given, and lets everybody write again. */
async function finish(transaction: Transaction, manifest: Manifest): Promise<void> {
  for (const { table, entry } of entriesOf(manifest)) {
    const { sequence } = await readLayout(transaction, table);
    if (sequence !== null && entry.nextId !== null) {
      await transaction.query('select setval($1::regclass, $2::bigint, false)', [sequence, entry.nextId]);
    }
  }
  await openTables(transaction);
  await endProgress(transaction);
}

/**
 * Moves an export into a migrated database that has no data, or has a part of this very export: then it goes on where it
 * was interrupted, at whatever moment. Until it is done nobody else can write. Throws MovingError where the database has
 * other data or other tables, which leaves it as it is, and where it differs from the export at the end.
 */
export async function importExport(
  database: Database,
  found: Export,
  options: ImportOptions,
): Promise<Imported> {
  const { manifest } = found;
  const { stillMine } = options;
  const checksum = checksumOf(manifest);
  const moved = { tables: manifest.tables.length, rows: rowsIn(manifest) };

  const isUnderWay = await database.transaction(
    async (transaction) => {
      await checkTables(transaction, manifest);
      return (await readProgress(transaction, checksum)) !== null;
    },
    { readOnly: true, ...LIMITED },
  );
  if (!isUnderWay && (await firstDifference(database, manifest, options)) === null) {
    return { ...moved, isNew: false };
  }
  const progress = await database.transaction(async (transaction) => {
    await stillMine(transaction);
    const known = await readProgress(transaction, checksum);
    if (known === null) await begin(transaction, checksum);
    return known ?? new Map<string, number>();
  }, LIMITED);
  await fillTables(database, found, progress, options);
  const different = await firstDifference(database, manifest, options);
  if (different !== null) {
    throw new MovingError(
      `${different} is not as the export has it after all rows were moved: keep the old database, and import into a new one.`,
    );
  }
  await database.transaction(
    async (transaction) => {
      await stillMine(transaction);
      await finish(transaction, manifest);
    },
    // On the disk before it is said to be done, and all before it with it.
    { durable: true, ...LIMITED },
  );
  await database.vacuum?.();
  return { ...moved, isNew: true };
}
