import type { Database, Transaction } from '../port.ts';
import { entriesOf, type Manifest, rowsIn, type TableEntry } from './manifest.ts';
import { LIMITED, type MovingOptions } from './options.ts';
import { countRows, createDigest, readLayout, rowsOf, spellAlike } from './table-rows.ts';
import type { MovedTable } from './tables.ts';

async function isAlike(
  transaction: Transaction,
  table: MovedTable,
  entry: TableEntry,
  tell: (rows: number) => void,
): Promise<boolean> {
  const digest = createDigest();
  for await (const lines of rowsOf(transaction, table, await readLayout(transaction, table))) {
    digest.add(lines);
    tell(lines.rows);
  }
  const { rows, sha256 } = digest.end();
  return rows === entry.rows && sha256 === entry.sha256;
}

/** The first table that a database has otherwise than an export, by counts and by checksums; null when there is none. */
export function firstDifference(
  database: Database,
  manifest: Manifest,
  { report, signal }: MovingOptions,
): Promise<string | null> {
  const total = rowsIn(manifest);
  let done = 0;
  const tell = (rows: number) => {
    signal?.throwIfAborted();
    done += rows;
    report({ stage: 'comparing', done, total });
  };
  return database.transaction(
    async (transaction) => {
      await spellAlike(transaction);
      // Counts are quick to have, and show most of what is different.
      for (const { table, entry } of entriesOf(manifest)) {
        if ((await countRows(transaction, table)) !== entry.rows) return table.name;
      }
      report({ stage: 'comparing', done, total });
      for (const { table, entry } of entriesOf(manifest)) {
        if (!(await isAlike(transaction, table, entry, tell))) return table.name;
      }
      return null;
    },
    { readOnly: true, snapshot: true, ...LIMITED },
  );
}
