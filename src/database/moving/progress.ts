import type { Transaction } from '../port.ts';
import { MovingError } from './moving-error.ts';
import { MOVED_TABLES } from './tables.ts';

/** Whether a database holds a part of an export only. */
export async function isUnderWay(transaction: Transaction): Promise<boolean> {
  return (await transaction.query('select from operations.moving limit 1')).length > 0;
}

/** Throws MovingError while a database holds a part of an export only, of which another one would pass for all. */
export async function checkWhole(transaction: Transaction): Promise<void> {
  if (await isUnderWay(transaction)) {
    throw new MovingError('An import into this database is not finished: run it again before you export.');
  }
}

/** How many rows of each table an import has moved; null where none of this export is under way. */
export async function readProgress(
  transaction: Transaction,
  checksum: string,
): Promise<ReadonlyMap<string, number> | null> {
  const rows = await transaction.query<{ name: string; export: string; rows: number }>(
    'select table_name as name, export, rows_moved as rows from operations.moving',
  );
  if (rows.some((row) => row.export !== checksum)) {
    throw new MovingError(
      'The database holds a part of another export: finish that import first, or import into an empty database.',
    );
  }
  return rows.length === 0 ? null : new Map(rows.map(({ name, rows: moved }) => [name, moved]));
}

/** Notes that an import begins. */
export async function beginProgress(transaction: Transaction, checksum: string): Promise<void> {
  await transaction.query(
    `insert into operations.moving (table_name, export)
     select value, $2 from json_array_elements_text($1::json)`,
    [JSON.stringify(MOVED_TABLES.map(({ name }) => name)), checksum],
  );
}

/** Notes rows of a table as moved, after `before` others of it. */
export async function noteMoved(
  transaction: Transaction,
  name: string,
  { before, rows }: { before: number; rows: number },
): Promise<void> {
  const noted = await transaction.query(
    `update operations.moving set rows_moved = rows_moved + $3::bigint
     where table_name = $1 and rows_moved = $2::bigint returning table_name`,
    [name, before, rows],
  );
  if (noted.length === 0) throw new MovingError('Another import went on with this one: let that one finish.');
}

/** Notes that nothing is under way any more. */
export async function endProgress(transaction: Transaction): Promise<void> {
  await transaction.query('delete from operations.moving');
}
