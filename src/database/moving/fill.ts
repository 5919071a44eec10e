import { type Database, DatabaseError, type Transaction } from '../port.ts';
import { enter } from './closed-tables.ts';
import { entriesOf, rowsIn, type TableEntry } from './manifest.ts';
import { MovingError } from './moving-error.ts';
import { type ImportOptions, LIMITED } from './options.ts';
import { noteMoved } from './progress.ts';
import { type Export, linesOf } from './read-export.ts';
import type { Lines } from './table-rows.ts';
import type { MovedTable } from './tables.ts';

/** Copies rows as they were, without what the table's triggers would make of them; others never see these turned off. */
async function copyIn(
  transaction: Transaction,
  { name, stilled = [] }: MovedTable,
  { columns }: TableEntry,
  bytes: Uint8Array,
): Promise<void> {
  for (const trigger of stilled) await transaction.query(`alter table ${name} disable trigger ${trigger}`);
  await transaction.copyIn(`copy ${name} (${columns.join(', ')}) from stdin`, bytes);
  for (const trigger of stilled) await transaction.query(`alter table ${name} enable trigger ${trigger}`);
}

function refused(error: unknown, { name }: MovedTable): unknown {
  if (!(error instanceof DatabaseError)) return error;
  return new MovingError(`The database did not take the rows of ${name}: ${error.message}.`, {
    cause: error,
  });
}

/** Moves what is still missing, piece by piece: each with the note of it in one transaction. */
export async function fillTables(
  database: Database,
  { folder, manifest }: Export,
  progress: ReadonlyMap<string, number>,
  { stillMine, report, signal }: ImportOptions,
): Promise<void> {
  const total = rowsIn(manifest);
  let done = [...progress.values()].reduce((sum, rows) => sum + rows, 0);
  const tell = () => report({ stage: 'importing', done, total });
  tell();
  for (const { table, entry } of entriesOf(manifest)) {
    let before = progress.get(table.name) ?? 0;
    const move = ({ bytes, rows }: Lines) =>
      database.transaction(async (transaction) => {
        await stillMine(transaction);
        await enter(transaction);
        await noteMoved(transaction, table.name, { before, rows });
        await copyIn(transaction, table, entry, bytes);
      }, LIMITED);
    for await (const lines of linesOf(folder, table.name, before)) {
      signal?.throwIfAborted();
      await move(lines).catch((error: unknown) => {
        throw refused(error, table);
      });
      before += lines.rows;
      done += lines.rows;
      tell();
    }
  }
}
