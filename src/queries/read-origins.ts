import { type InputOriginRow, parseInputOrigin } from '#schema/input-origins.ts';
import { readRows, type SendRead } from './read-rows.ts';
import { originsRead } from './table-reads.ts';

/** The origins of the rows of this time (ISO), one row per input. Empty if not recorded. Throws QueryError. */
export async function readOrigins(send: SendRead, createdAt: string): Promise<InputOriginRow[]> {
  const rows = await readRows(send, originsRead(createdAt), parseInputOrigin);
  return [...new Map(rows.map((row) => [row.input, row])).values()];
}
