import { rowsOf, type SendRead } from './read-rows.ts';
import { PAGE_ROWS, type TableRead } from './table-reads.ts';

/** All rows of a read, page by page. Throws QueryError. */
export async function readAll<Row>(
  send: SendRead,
  read: TableRead,
  parse: (value: unknown) => Row | null,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const { rows, received } = await rowsOf(read.table, send({ ...read, offset }), parse);
    all.push(...rows);
    if (received < PAGE_ROWS) return all;
  }
}
