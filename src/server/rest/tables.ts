import type { Database } from '#database/port.ts';
import { MARKET_TABLES, ORIGINS_TABLE, SUBSCRIBERS_TABLE } from '#schema/tables.ts';

/** The tables the outside may name. Everything else in the database does not exist for it. */
export const EXPOSED_TABLES = [...MARKET_TABLES, ORIGINS_TABLE, SUBSCRIBERS_TABLE] as const;

/** A table and, for each of its columns in order, the base type a filter's text is read as. */
export interface Table {
  readonly name: string;
  readonly columns: ReadonlyMap<string, string>;
  /** The expressions of its columns' defaults. */
  readonly defaults?: ReadonlyMap<string, string>;
}

export type Tables = ReadonlyMap<string, Table>;

const COLUMNS_SQL = `
  select table_name::text as table_name, column_name::text as column_name, data_type::text as data_type,
    column_default::text as column_default
  from information_schema.columns
  where table_schema = 'public' and table_name in (${EXPOSED_TABLES.map((name) => `'${name}'`).join(', ')})
  order by table_name, ordinal_position`;

/** The exposed tables as they are in the database. Throws when one is missing: migrate before serving. */
export async function readTables(database: Database): Promise<Tables> {
  const rows = await database.transaction((transaction) => transaction.query(COLUMNS_SQL), {
    readOnly: true,
  });
  const tables = EXPOSED_TABLES.map((name): Table => {
    const ofTable = rows.filter((row) => row.table_name === name);
    const columns = ofTable.map((row) => [String(row.column_name), String(row.data_type)] as const);
    const defaults = ofTable
      .filter((row) => row.column_default != null)
      .map((row) => [String(row.column_name), String(row.column_default)] as const);
    return { name, columns: new Map(columns), defaults: new Map(defaults) };
  });
  const missing = tables.filter(({ columns }) => columns.size === 0).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`The database has no table ${missing.join(', ')}.`);
  return new Map(tables.map((table) => [table.name, table]));
}
