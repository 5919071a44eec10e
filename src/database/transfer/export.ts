import type { Database, Transaction } from '../port.ts';
import {
  type Header,
  type Lines,
  startProgress,
  type TableEntry,
  type TransferOptions,
  writeArchive,
} from './archive.ts';
import {
  countRows,
  fixTextForm,
  newestMigration,
  readNextId,
  readRows,
  readTables,
  STATEMENT_LIMIT,
  type Table,
} from './tables.ts';

async function describe(transaction: Transaction, tables: readonly Table[]): Promise<Header> {
  const entries: TableEntry[] = [];
  for (const table of tables) {
    const { name, columns } = table;
    const rows = await countRows(transaction, table);
    entries.push({ name, columns, rows, nextId: await readNextId(transaction, table) });
  }
  return { migration: await newestMigration(transaction), tables: entries };
}

/**
 * Writes the transferred tables to an archive, as of one instant, and returns its header. Throws TransferError if the
 * file exists or cannot be written, and leaves no new file.
 */
export function exportDatabase(database: Database, path: string, options: TransferOptions): Promise<Header> {
  return database.transaction(
    async (transaction) => {
      await fixTextForm(transaction);
      const tables = await readTables(transaction);
      const header = await describe(transaction, tables);
      async function* rows(): AsyncGenerator<Lines> {
        // Reports progress only after the file was opened, so that an export to an unwritable file reports none.
        const advance = startProgress('exporting', header, options);
        for (const table of tables) {
          for await (const lines of readRows(transaction, table)) {
            yield lines;
            advance(lines.rows);
          }
        }
      }
      await writeArchive(path, header, rows());
      return header;
    },
    { readOnly: true, snapshot: true, ...STATEMENT_LIMIT },
  );
}
