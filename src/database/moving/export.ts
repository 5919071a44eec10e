import type { Database, Transaction } from '../port.ts';
import { newestMigration } from './check-tables.ts';
import { prepareFolder, putManifest, putTable, readManifestText } from './export-folder.ts';
import { type Manifest, manifestText, rowsIn, type TableEntry } from './manifest.ts';
import { folderFault, MovingError } from './moving-error.ts';
import { LIMITED, type MovingOptions } from './options.ts';
import { checkWhole } from './progress.ts';
import { readExport } from './read-export.ts';
import {
  countRows,
  createDigest,
  type Layout,
  readLayout,
  readNextId,
  rowsOf,
  spellAlike,
} from './table-rows.ts';
import { MOVED_TABLES, type MovedTable } from './tables.ts';

/** What an export came to. */
export interface Exported {
  readonly tables: number;
  readonly rows: number;
  /** False where the folder held the same export already. */
  readonly isNew: boolean;
}

type Bytes = AsyncIterable<Uint8Array>;
/** Where a table's rows go; done once it has taken all. */
type Sink = (table: string, bytes: Bytes) => Promise<void>;

const nowhere: Sink = async (_, bytes) => {
  for await (const _piece of bytes);
};

async function exportTable(
  transaction: Transaction,
  table: MovedTable,
  layout: Layout,
  { sink, tell }: { sink: Sink; tell: (rows: number) => void },
): Promise<TableEntry> {
  const digest = createDigest();
  async function* digested() {
    for await (const lines of rowsOf(transaction, table, layout)) {
      digest.add(lines);
      tell(lines.rows);
      yield lines.bytes;
    }
  }
  await sink(table.name, digested());
  const nextId = await readNextId(transaction, layout);
  return { name: table.name, columns: layout.columns, ...digest.end(), nextId };
}

async function exportTables(
  transaction: Transaction,
  { report, signal }: MovingOptions,
  sink: Sink,
): Promise<Manifest> {
  await spellAlike(transaction);
  let total = 0;
  for (const table of MOVED_TABLES) total += await countRows(transaction, table);
  let done = 0;
  const tell = (rows: number) => {
    signal?.throwIfAborted();
    done += rows;
    report({ stage: 'exporting', done, total });
  };
  report({ stage: 'exporting', done, total });
  const tables: TableEntry[] = [];
  for (const table of MOVED_TABLES) {
    const layout = await readLayout(transaction, table);
    tables.push(await exportTable(transaction, table, layout, { sink, tell }));
  }
  return { migration: await newestMigration(transaction), tables };
}

/** Writes what a folder lacks of an export, or nothing where it holds a finished one, which has to be of the same data. */
async function write(
  transaction: Transaction,
  folder: string,
  options: MovingOptions,
): Promise<{ manifest: Manifest; isNew: boolean }> {
  await checkWhole(transaction);
  await prepareFolder(folder);
  const before = await readManifestText(folder);
  const sink: Sink = before === null ? (table, bytes) => putTable(folder, table, bytes) : nowhere;
  const manifest = await exportTables(transaction, options, sink);
  const text = manifestText(manifest);
  if (before === null) await putManifest(folder, text);
  else if (before !== text) {
    throw new MovingError(`${folder} holds an export of other data, which stays: name a new folder.`);
  }
  return { manifest, isNew: before === null };
}

/**
 * Writes all that has to survive into a folder, as of one instant: a file a table and a manifest with their counts and
 * checksums, which comes last. What an interrupted export left there is written anew. Throws MovingError where the
 * folder holds anything else, or another finished export, which stays as it is, and where the database is half moved.
 */
export async function exportDatabase(
  database: Database,
  folder: string,
  options: MovingOptions,
): Promise<Exported> {
  // In the transaction from the first file to the last, so that two of an embedded database come one after the other,
  // and with a fault of the folder put in words there, which the database's failures would be mistaken for.
  const { manifest, isNew } = await database.transaction(
    (transaction) =>
      write(transaction, folder, options).catch((error: unknown) => {
        throw folderFault(error, folder);
      }),
    { readOnly: true, snapshot: true, ...LIMITED },
  );
  if (!isNew) await readExport(folder, options);
  return { tables: manifest.tables.length, rows: rowsIn(manifest), isNew };
}
