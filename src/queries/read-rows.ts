import { parseRows, type Row } from '#schema/columns.ts';
import { type Failure, failed } from './query-error.ts';
import { PAGE_ROWS, type TableRead } from './table-reads.ts';

/** The response to a read: rows in `data`, or an error. `count` is the total number of rows if requested. */
export interface ReadResponse {
  data: unknown;
  error: Failure | null;
  status: number;
  count: number | null;
}

/** Sends a read: through the table client, or within the server through the gate. */
export type SendRead = (read: TableRead) => PromiseLike<ReadResponse>;

/** Limits reads to the rows up to an instant (epoch ms). */
export function readsUpTo(send: SendRead, instant: number): SendRead {
  const end = new Date(instant + 1).toISOString();
  return (read) => send({ ...read, filters: [...(read.filters ?? []), ['created_at', 'lt', end]] });
}

/** The rows of a read and its total. Leaves out invalid rows. Throws QueryError. */
export async function rowsOf<Columns extends string>(
  send: SendRead,
  read: TableRead<Columns>,
): Promise<{ rows: Row<Columns>[]; received: number; total: number | null }> {
  const { data, error, status, count } = await send(read);
  if (error !== null) throw failed('failed_to_fetch', read.table, error, status);
  if (!Array.isArray(data))
    throw failed('failed_to_fetch', read.table, { details: 'The response is not a list.' }, status);
  return { rows: parseRows(read.columns, data), received: data.length, total: count };
}

/** The rows of one read. Throws QueryError. */
export async function readRows<Columns extends string>(
  send: SendRead,
  read: TableRead<Columns>,
): Promise<Row<Columns>[]> {
  return (await rowsOf(send, read)).rows;
}

/** The first row of one read; null without rows. Throws QueryError. */
export async function readFirst<Columns extends string>(
  send: SendRead,
  read: TableRead<Columns>,
): Promise<Row<Columns> | null> {
  return (await readRows(send, read))[0] ?? null;
}

/** All rows of a read, page by page, up to the total if the read is counted. Throws QueryError. */
export async function readAll<Columns extends string>(
  send: SendRead,
  read: Omit<TableRead<Columns>, 'limit' | 'offset'>,
): Promise<Row<Columns>[]> {
  const all: Row<Columns>[] = [];
  let offset = 0;
  let expected: number | null = null;
  for (;;) {
    const isCounted = offset === 0 && read.isCounted === true;
    const { rows, received, total } = await rowsOf(send, { ...read, offset, limit: PAGE_ROWS, isCounted });
    all.push(...rows);
    offset += received;
    expected ??= Number.isFinite(total) ? total : null;
    const isLast = expected === null ? received < PAGE_ROWS : offset >= expected;
    if (isLast || received === 0) return all;
  }
}
