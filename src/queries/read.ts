import type { TableClient } from './client.ts';
import { type Failure, failed } from './failure.ts';

/** What one read answers with. */
interface Answer {
  data: unknown;
  error: Failure | null;
  status: number;
  count: number | null;
}

/** One table as it is read: its name, the columns asked for, and the parsing of one row. */
export interface TableRead<Row> {
  table: string;
  columns: string;
  /** Columns that order rows of the same instant, ascending. */
  thenBy?: readonly string[];
  parse: (value: unknown) => Row | null;
}

/** The rows of an answer and the total it told of. Rows that cannot be read are dropped. Throws QueryError. */
export async function rowsOf<Row>(
  { table, parse }: TableRead<Row>,
  answer: PromiseLike<Answer>,
): Promise<{ rows: Row[]; received: number; total: number | null }> {
  const { data, error, status, count } = await answer;
  if (error !== null) throw failed('failed_to_fetch', table, error, status);
  if (!Array.isArray(data))
    throw failed('failed_to_fetch', table, { details: 'The answer is no list.' }, status);
  const rows = data.map(parse).filter((row) => row !== null);
  return { rows, received: data.length, total: count };
}

/** The newest rows of a table, newest first. */
export async function readNewest<Row>(
  client: TableClient,
  read: TableRead<Row>,
  limit: number,
): Promise<Row[]> {
  const newest = client
    .from(read.table)
    .select(read.columns)
    .order('created_at', { ascending: false })
    .limit(limit);
  const query = (read.thenBy ?? []).reduce((ordered, column) => ordered.order(column), newest);
  return (await rowsOf(read, query)).rows;
}

/** The newest row of a table; null when it is empty. */
export async function readLatest<Row>(client: TableClient, read: TableRead<Row>): Promise<Row | null> {
  return (await readNewest(client, read, 1))[0] ?? null;
}
