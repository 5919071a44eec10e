import { type Failure, failed } from './query-error.ts';
import type { TableRead } from './table-reads.ts';

/** The response to a read: rows in `data`, or an error. `count` is the total number of rows if requested. */
export interface ReadResponse {
  data: unknown;
  error: Failure | null;
  status: number;
  count: number | null;
}

/** Sends a read: through the table client, or within the server through the gate. */
export type SendRead = (read: TableRead) => PromiseLike<ReadResponse>;

/** The rows of a response and its total. Drops rows for which `parse` returns null. Throws QueryError. */
export async function rowsOf<Row>(
  table: string,
  response: PromiseLike<ReadResponse>,
  parse: (value: unknown) => Row | null,
): Promise<{ rows: Row[]; received: number; total: number | null }> {
  const { data, error, status, count } = await response;
  if (error !== null) throw failed('failed_to_fetch', table, error, status);
  if (!Array.isArray(data))
    throw failed('failed_to_fetch', table, { details: 'The response is not a list.' }, status);
  const rows = data.map(parse).filter((row) => row !== null);
  return { rows, received: data.length, total: count };
}

/** The rows of one read. Throws QueryError. */
export async function readRows<Row>(
  send: SendRead,
  read: TableRead,
  parse: (value: unknown) => Row | null,
): Promise<Row[]> {
  return (await rowsOf(read.table, send(read), parse)).rows;
}

/** The first row of one read; null without rows. Throws QueryError. */
export async function readFirst<Row>(
  send: SendRead,
  read: TableRead,
  parse: (value: unknown) => Row | null,
): Promise<Row | null> {
  return (await readRows(send, read, parse))[0] ?? null;
}
