import type { Database } from '#database/port.ts';
import { MARKET_TABLES, ORIGINS_TABLE, SUBSCRIBERS_TABLE } from '#schema/tables.ts';

/** The tables the outside may name. Everything else in the database does not exist for it. */
export const EXPOSED_TABLES = [...MARKET_TABLES, ORIGINS_TABLE, SUBSCRIBERS_TABLE] as const;

/** A table and, for each of its columns in order, the base type a filter's text is read as. */
export interface Table {
  readonly name: string;
  readonly columns: ReadonlyMap<string, string>;
}

export type Tables = ReadonlyMap<string, Table>;

const COLUMNS_SQL = `
  select table_name::text as table_name, column_name::text as column_name, data_type::text as data_type
  from information_schema.columns
  where table_schema = 'public' and table_name in (${EXPOSED_TABLES.map((name) => `'${name}'`).join(', ')})
  order by table_name, ordinal_position`;

/** The exposed tables as they are in the database. Throws when one is missing: migrate before serving. */
export async function readTables(database: Database): Promise<Tables> {
  const rows = await database.transaction((transaction) => transaction.query(COLUMNS_SQL), {
    readOnly: true,
  });
  const columns = new Map<string, Map<string, string>>();
  for (const row of rows) {
    const name = String(row.table_name);
    const ofTable = columns.get(name) ?? new Map<string, string>();
    columns.set(name, ofTable.set(String(row.column_name), String(row.data_type)));
  }
  const missing = EXPOSED_TABLES.filter((name) => !columns.has(name));
  if (missing.length > 0) throw new Error(`The database has no table ${missing.join(', ')}.`);
  return new Map([...columns].map(([name, ofTable]) => [name, { name, columns: ofTable }]));
}
