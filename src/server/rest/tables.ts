import type { Database } from '#database/port.ts';
import {
  JOURNAL_TABLES,
  MARKET_TABLES,
  ORIGINS_TABLE,
  RECORD_VIEWS,
  SUBSCRIBERS_TABLE,
} from '#schema/tables.ts';

/** The only tables and views that requests can name. */
export const EXPOSED_TABLES = [
  ...MARKET_TABLES,
  ORIGINS_TABLE,
  ...RECORD_VIEWS,
  ...JOURNAL_TABLES,
  SUBSCRIBERS_TABLE,
] as const;

export interface Table {
  readonly name: string;
  /** The type of each column, in the order of the table. Filter values are cast to it. */
  readonly columns: ReadonlyMap<string, string>;
}

export type Tables = ReadonlyMap<string, Table>;

const COLUMNS_SQL = `
  select table_name::text as table_name, column_name::text as column_name, data_type::text as data_type
  from information_schema.columns
  where table_schema = 'public' and table_name in (${EXPOSED_TABLES.map((name) => `'${name}'`).join(', ')})
  order by table_name, ordinal_position`;

/** Reads the exposed tables from the database. Throws if one is missing: migrate before serving. */
export async function readTables(database: Database): Promise<Tables> {
  const rows = await database.transaction((transaction) => transaction.query(COLUMNS_SQL), {
    readOnly: true,
  });
  const tables = EXPOSED_TABLES.map((name): Table => {
    const columns = rows
      .filter((row) => row.table_name === name)
      .map((row) => [String(row.column_name), String(row.data_type)] as const);
    return { name, columns: new Map(columns) };
  });
  const missing = tables.filter(({ columns }) => columns.size === 0).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`The database has no table ${missing.join(', ')}.`);
  return new Map(tables.map((table) => [table.name, table]));
}
