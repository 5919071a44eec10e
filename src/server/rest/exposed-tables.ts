import { type Database, readOnce } from '#database/port.ts';
import {
  ARCHIVE_TABLES,
  FEAR_GREED_SESSIONS_VIEW,
  PUBLISHED_TABLE_NAMES,
  RECORD_VIEWS,
  SUBSCRIBERS_TABLE,
  VERDICT_CHANGES_VIEW,
} from '#schema/tables.ts';

/** The only tables and views that requests can name. */
export const EXPOSED_TABLES = [
  ...PUBLISHED_TABLE_NAMES,
  ...RECORD_VIEWS,
  ...ARCHIVE_TABLES,
  VERDICT_CHANGES_VIEW,
  FEAR_GREED_SESSIONS_VIEW,
  SUBSCRIBERS_TABLE,
] as const;

export interface Table {
  readonly name: string;
  /** The types of the columns by name, in the order of the table. */
  readonly columns: ReadonlyMap<string, string>;
  /** The columns that are never null. For a view this is empty, because Postgres does not know them. */
  readonly required: readonly string[];
}

export type Tables = ReadonlyMap<string, Table>;

/** Reads the catalog, because information_schema takes twice as long. A domain has the type on which it is based. */
const COLUMNS_SQL = `
  select relation.relname::text as "table", attname::text as "column",
    format_type(coalesce(nullif(typbasetype, 0), type.oid), null) as type, attnotnull as "isRequired"
  from pg_attribute
  join pg_class relation on relation.oid = attrelid
  join pg_type type on type.oid = atttypid
  where relation.relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
    and relation.relname in (${EXPOSED_TABLES.map((name) => `'${name}'`).join(', ')})
  order by "table", attnum`;

type CatalogRow = { table: string; column: string; type: string; isRequired: boolean };

/** Reads the descriptions of the exposed tables. Throws if a table is missing: apply the migrations before. */
export async function readTables(database: Database): Promise<Tables> {
  const rows = await readOnce<CatalogRow>(database, COLUMNS_SQL);
  const tables = EXPOSED_TABLES.map((name): Table => {
    const own = rows.filter(({ table }) => table === name);
    return {
      name,
      columns: new Map(own.map(({ column, type }) => [column, type])),
      required: own.filter(({ isRequired }) => isRequired).map(({ column }) => column),
    };
  });
  const missing = tables.filter(({ columns }) => columns.size === 0).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`The database has no table ${missing.join(', ')}.`);
  return new Map(tables.map((table) => [table.name, table]));
}
