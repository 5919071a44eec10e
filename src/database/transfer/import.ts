import { type Database, DatabaseError, type Transaction } from '../port.ts';
import {
  type Header,
  type Lines,
  readArchive,
  startProgress,
  type TableEntry,
  TransferError,
  type TransferOptions,
} from './archive.ts';
import { countRows, newestMigration, readTables, STATEMENT_LIMIT, type Table } from './tables.ts';

interface ImportOptions extends TransferOptions {
  /**
   * Throws if another process has taken the lease. Otherwise no other process can take the lease until the transaction
   * ends.
   */
  readonly stillMine: (transaction: Transaction) => Promise<void>;
}

async function checkMigration(transaction: Transaction, { migration }: Header): Promise<void> {
  const here = await newestMigration(transaction);
  if (migration === here) return;
  const [age, advice] =
    migration > here
      ? ['a newer', 'update this one, and import again']
      : ['an older', 'update that one, and export again'];
  throw new TransferError(
    `The export is from ${age} Barometer (migration ${migration}; this one has ${here}): ${advice}.`,
  );
}

/** Returns the tables. Throws TransferError if they differ from those of the export. */
async function checkTables(transaction: Transaction, header: Header): Promise<Table[]> {
  await checkMigration(transaction, header);
  const tables = await readTables(transaction);
  for (const [at, { name, columns }] of tables.entries()) {
    const entry = header.tables[at];
    if (entry?.name === name && entry.columns.join() === columns.join()) continue;
    throw new TransferError(
      `The table ${name} is different in the export. Both databases must have the same migrations and no other changes.`,
    );
  }
  return tables;
}

/**
 * Locks the tables against other writers, and deletes the rows that every new database has. Throws TransferError if
 * there is any other data.
 */
async function claimEmptyTables(transaction: Transaction, tables: readonly Table[]): Promise<void> {
  const names = tables.map(({ name }) => name).join(', ');
  await transaction.query(`lock table ${names} in share row exclusive mode`);
  for (const table of tables) {
    if (table.hasOwnRow) await transaction.query(`delete from ${table.name}`);
    const rows = await countRows(transaction, table);
    if (rows === 0) continue;
    throw new TransferError(
      `The database has data already (${rows} ${rows === 1 ? 'row' : 'rows'} in ${table.name}). Import into an empty database.`,
    );
  }
}

async function setTriggers(transaction: Transaction, tables: readonly Table[], action: 'disable' | 'enable') {
  for (const { name, disabledTriggers = [] } of tables) {
    for (const { name: trigger, isAlways } of disabledTriggers) {
      const mode = action === 'enable' && isAlways ? 'enable always' : action;
      await transaction.query(`alter table ${name} ${mode} trigger ${trigger}`);
    }
  }
}

async function copyRows(transaction: Transaction, { name, columns }: TableEntry, { bytes, rows }: Lines) {
  const sql = `copy ${name} (${columns.join(', ')}) from stdin`;
  const copied = await transaction.copyIn(sql, bytes).catch((error: unknown) => {
    if (!(error instanceof DatabaseError)) throw error;
    throw new TransferError(
      `The database refused the rows of ${name}: ${error.message}. Correct the cause and import again.`,
      { cause: error },
    );
  });
  if (copied === rows) return;
  throw new TransferError(
    `The database kept ${copied} of ${rows} rows of ${name}. Remove triggers that are not Barometer's and import again.`,
  );
}

/** Makes new rows continue the ids of the old database, so that the id of a deleted row is not used again. */
async function setSequences(transaction: Transaction, tables: readonly Table[], header: Header) {
  for (const [at, { sequence }] of tables.entries()) {
    const nextId = header.tables[at]?.nextId ?? null;
    if (sequence === null || nextId === null) continue;
    await transaction.query('select setval($1::regclass, $2::bigint, false)', [sequence, nextId]);
  }
}

/**
 * Writes a checked archive into a migrated database without data, in one transaction. Throws TransferError, and leaves
 * the database unchanged, if the database has data or other tables, or if the archive has changed since it was checked.
 */
export function importArchive(
  database: Database,
  { path, header }: { readonly path: string; readonly header: Header },
  options: ImportOptions,
): Promise<void> {
  return database.transaction(
    async (transaction) => {
      const tables = await checkTables(transaction, header);
      await claimEmptyTables(transaction, tables);
      await setTriggers(transaction, tables, 'disable');
      const advance = startProgress('importing', header, options);
      for await (const { table, ...lines } of readArchive(path, header)) {
        await copyRows(transaction, table, lines);
        advance(lines.rows);
      }
      await setTriggers(transaction, tables, 'enable');
      await setSequences(transaction, tables, header);
      await options.stillMine(transaction);
    },
    { durable: true, ...STATEMENT_LIMIT },
  );
}
