import { createHash } from 'node:crypto';
import type { Transaction } from '../port.ts';
import type { MovedTable } from './tables.ts';

/** Rows of one statement: some MB. */
const PIECE = 20_000;

const LINE_BREAK = 10;

/** Lines of `copy`'s text format, whole ones. */
export interface Lines {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

/** What a database knows of a table's columns. */
export interface Layout {
  /** As they stand in SQL. */
  readonly columns: readonly string[];
  readonly types: readonly string[];
  /** What gives the rows their numbers; null where nothing does. */
  readonly sequence: string | null;
}

export async function readLayout(transaction: Transaction, { name }: MovedTable): Promise<Layout> {
  const rows = await transaction.query<{ column: string; type: string; sequence: string | null }>(
    `select quote_ident(attname) as column, format_type(atttypid, atttypmod) as type,
       case when attidentity <> '' then pg_get_serial_sequence($1, attname) end as sequence
     from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [name],
  );
  return {
    columns: rows.map(({ column }) => column),
    types: rows.map(({ type }) => type),
    sequence: rows.find(({ sequence }) => sequence !== null)?.sequence ?? null,
  };
}

/** The number that a table's next row gets; null where rows get none. */
export async function readNextId(transaction: Transaction, { sequence }: Layout): Promise<number | null> {
  if (sequence === null) return null;
  const [row] = await transaction.query<{ next: number }>(
    `select case when is_called then last_value + 1 else last_value end as next from ${sequence}`,
  );
  return row?.next ?? null;
}

export async function countRows(transaction: Transaction, { name }: MovedTable): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(`select count(*) as count from ${name}`);
  return row?.count ?? 0;
}

/** How many lines there are up to an index. */
export function countLines(bytes: Uint8Array, end = bytes.length): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_BREAK); at >= 0 && at < end; at = bytes.indexOf(LINE_BREAK, at + 1)) {
    count += 1;
  }
  return count;
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** The fields of the last line, without what `copy` escapes. */
function lastFields(bytes: Uint8Array): string[] {
  const start = bytes.lastIndexOf(LINE_BREAK, bytes.length - 2) + 1;
  const line = new TextDecoder().decode(bytes.subarray(start, bytes.length - 1));
  return line
    .split('\t')
    .map((field) => field.replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character));
}

/** Text is put into order by its characters, not by a locale, which differs between houses. */
const ordered = (sql: string, type: string): string => (type === 'text' ? `${sql} collate "C"` : sql);

function copySql({ name, key }: MovedTable, { columns, types }: Layout, after: boolean): string {
  const typeOf = (column: string) => types[columns.indexOf(column)] ?? 'text';
  const order = key.map((column) => ordered(column, typeOf(column))).join(', ');
  // The last key comes as settings of the transaction, since `copy` takes no parameters.
  const marks = key.map((column, at) =>
    ordered(`current_setting('barometer.after_${at}')::${typeOf(column)}`, typeOf(column)),
  );
  const where = after ? `where (${order}) > (${marks.join(', ')})` : '';
  return `copy (select ${columns.join(', ')} from ${name} ${where} order by ${order} limit ${PIECE}) to stdout`;
}

/** Settings that decide how values are spelt, whatever the database or the role says of them. */
export async function spellAlike(transaction: Transaction): Promise<void> {
  await transaction.query(
    `select set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true)`,
  );
}

/**
 * All rows of a table in the order of its key, in pieces, as lines of `copy`. The same rows are the same bytes in
 * every database that `spellAlike` was said to.
 */
export async function* rowsOf(
  transaction: Transaction,
  table: MovedTable,
  layout: Layout,
): AsyncGenerator<Lines> {
  for (let after = false; ; after = true) {
    const bytes = await transaction.copyOut(copySql(table, layout, after));
    const rows = countLines(bytes);
    if (rows > 0) yield { bytes, rows };
    if (rows < PIECE) return;
    const fields = lastFields(bytes);
    for (const [at, column] of table.key.entries()) {
      const value = fields[layout.columns.indexOf(column)] ?? '';
      await transaction.query('select set_config($1, $2, true)', [`barometer.after_${at}`, value]);
    }
  }
}

/** What a table holds, in a word that changes with any of it. */
export interface Digest {
  readonly rows: number;
  readonly sha256: string;
}

/** Counts and digests lines as they come by. */
export function createDigest(): { add(lines: Lines): void; end(): Digest } {
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add(lines) {
      hash.update(lines.bytes);
      rows += lines.rows;
    },
    end: () => ({ rows, sha256: hash.digest('hex') }),
  };
}
