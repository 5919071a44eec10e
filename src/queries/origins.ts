import { INPUT_ORIGINS_COLUMNS, type InputOriginRow, parseInputOrigin } from '#schema/input-origins.ts';
import { ORIGINS_TABLE } from '#schema/tables.ts';
import type { TableClient } from './client.ts';
import { rowsOf, type TableRead } from './read.ts';

const ORIGINS: TableRead<InputOriginRow> = {
  table: ORIGINS_TABLE,
  columns: INPUT_ORIGINS_COLUMNS,
  parse: parseInputOrigin,
};

/** There are some twenty inputs. */
const MOST_ROWS = 100;
/** Instants are read to the millisecond, and a backend may keep finer ones. */
const A_MILLISECOND = 1;

/**
 * Where each input of the rows of an instant (ISO) comes from, one row an input; empty where nobody recorded
 * it. Throws QueryError.
 */
export async function readOrigins(client: TableClient, createdAt: string): Promise<InputOriginRow[]> {
  const query = client
    .from(ORIGINS.table)
    .select(ORIGINS.columns)
    .gte('created_at', createdAt)
    .lt('created_at', new Date(Date.parse(createdAt) + A_MILLISECOND).toISOString())
    .limit(MOST_ROWS);
  const { rows } = await rowsOf(ORIGINS, query);
  return [...new Map(rows.map((row) => [row.input, row])).values()];
}
