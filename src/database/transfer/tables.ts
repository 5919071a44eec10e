import type { Transaction } from '../port.ts';
import { type Lines, linesOf } from './archive.ts';

interface DisabledTrigger {
  readonly name: string;
  /** True if the trigger also fires in a session that disables ordinary triggers, as a replica does. */
  readonly isAlways?: boolean;
}

interface TransferredTable {
  readonly name: string;
  /** True if a new database has a row in this table, which an import replaces. */
  readonly hasOwnRow?: boolean;
  /**
   * Triggers to disable during an import. The imported rows were checked when they were first stored, and their
   * deliveries are imported too.
   */
  readonly disabledTriggers?: readonly DisabledTrigger[];
}

/** A clock that was wrong may have left rows dated in the future in the old database. */
const DATED = [{ name: 'future_row_refused', isAlways: true }];
const ORDERED = [...DATED, { name: 'order_kept', isAlways: true }];

/**
 * The tables of an export. Each table comes after the tables that it refers to. Leases, the data version, the counts of
 * subscriptions in the current hour and the list of applied migrations are not transferred.
 */
export const TRANSFERRED_TABLES: readonly TransferredTable[] = [
  { name: 'mailer.settings', hasOwnRow: true },
  { name: 'operations.public_key', hasOwnRow: true },
  { name: 'public.market_indices', disabledTriggers: DATED },
  { name: 'public.market_metrics', disabledTriggers: DATED },
  { name: 'public.fear_greed_index', disabledTriggers: DATED },
  { name: 'public.sector_strength', disabledTriggers: DATED },
  { name: 'public.advanced_indicators', disabledTriggers: DATED },
  { name: 'public.market_sentiment', disabledTriggers: DATED },
  { name: 'public.market_breadth', disabledTriggers: DATED },
  { name: 'public.input_origins', disabledTriggers: DATED },
  { name: 'collector.symbols' },
  { name: 'collector.bars' },
  { name: 'collector.series' },
  { name: 'collector.holding' },
  { name: 'collector.runs' },
  { name: 'collector.corrections', disabledTriggers: DATED },
  { name: 'archive.publications', disabledTriggers: ORDERED },
  { name: 'archive.days', disabledTriggers: ORDERED },
  { name: 'public.quality_events', disabledTriggers: ORDERED },
  { name: 'operations.job_runs' },
  {
    name: 'public.email_subscribers',
    disabledTriggers: [{ name: 'subscriber_1_normalised' }, { name: 'subscriber_4_asked' }],
  },
  { name: 'mailer.issued_signals', disabledTriggers: ORDERED },
  { name: 'mailer.grades', disabledTriggers: ORDERED },
  { name: 'archive.ledger_key' },
  { name: 'archive.ledger_entries', disabledTriggers: DATED },
  { name: 'archive.verdict_changes', disabledTriggers: ORDERED },
  { name: 'mailer.alert_mails' },
  { name: 'mailer.deliveries' },
  { name: 'mailer.reports' },
  { name: 'mailer.webhook_deliveries' },
];

/**
 * Timeout of a statement of a transfer. Each statement counts the rows of one table or copies a limited number of rows,
 * so a statement that takes longer hangs.
 */
export const STATEMENT_LIMIT = { statementTimeoutMs: 300_000 } as const;

/** Number of rows that one `copy` reads, which are a few MB. */
const ROWS_PER_COPY = 20_000;

/** A table with its columns, whose names are quoted for SQL. */
export interface Table extends TransferredTable {
  readonly columns: readonly string[];
  /** The columns of the primary key, in order. */
  readonly key: readonly { readonly column: string; readonly type: string }[];
  /** The sequence of the identity column; null if there is none. */
  readonly sequence: string | null;
}

async function readTable(transaction: Transaction, table: TransferredTable): Promise<Table> {
  const rows = await transaction.query<{
    column: string;
    type: string;
    place: number | null;
    sequence: string | null;
  }>(
    `select quote_ident(attname) as column, format_type(atttypid, atttypmod) as type,
       array_position(indkey::int2[], attnum) as place,
       case when attidentity <> '' then pg_get_serial_sequence($1, attname) end as sequence
     from pg_attribute left join pg_index on indrelid = attrelid and indisprimary
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [table.name],
  );
  return {
    ...table,
    columns: rows.map(({ column }) => column),
    key: rows.filter(({ place }) => place !== null).sort((a, b) => Number(a.place) - Number(b.place)),
    sequence: rows.find(({ sequence }) => sequence !== null)?.sequence ?? null,
  };
}

/** Returns the transferred tables with the columns that this database has. */
export async function readTables(transaction: Transaction): Promise<Table[]> {
  const tables: Table[] = [];
  for (const table of TRANSFERRED_TABLES) tables.push(await readTable(transaction, table));
  return tables;
}

/** Returns the version of the newest migration. */
export async function newestMigration(transaction: Transaction): Promise<string> {
  const [row] = await transaction.query<{ version: string | null }>(
    'select max(version) as version from supabase_migrations.schema_migrations',
  );
  return row?.version ?? '';
}

export async function countRows(transaction: Transaction, { name }: Table): Promise<number> {
  const [row] = await transaction.query<{ count: number }>(`select count(*) as count from ${name}`);
  return row?.count ?? 0;
}

/** The id of a table's next row; null without an identity column. */
export async function readNextId(transaction: Transaction, { sequence }: Table): Promise<number | null> {
  if (sequence === null) return null;
  const [row] = await transaction.query<{ next: number }>(
    `select case when is_called then last_value + 1 else last_value end as next from ${sequence}`,
  );
  return row?.next ?? null;
}

/** Fixes the text form of values, because settings of the database or the role may change it. */
export async function fixTextForm(transaction: Transaction): Promise<void> {
  await transaction.query(
    `select set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true)`,
  );
}

/**
 * Reads a table in the order of its primary key, as lines of `copy`'s text format. Equal rows are equal bytes in every
 * database: text is ordered by code point, because locales differ. Each `copy` reads a limited number of rows after the
 * last key, because `copy` returns its whole output at once, and an offset gets slower with each step.
 */
export async function* readRows(
  transaction: Transaction,
  { name, columns, key }: Table,
): AsyncGenerator<Lines> {
  const ordered = (sql: string, type: string) => (type === 'text' ? `${sql} collate "C"` : sql);
  const order = key.map(({ column, type }) => ordered(column, type)).join(', ');
  // `copy` takes no parameters, so settings of the transaction carry the last key.
  const last = key.map(({ type }, at) => ordered(`current_setting('barometer.last_${at}')::${type}`, type));
  const keepLast = key.map(({ column }, at) => `set_config('barometer.last_${at}', ${column}::text, true)`);
  let rest = name;
  for (;;) {
    const bytes = await transaction.copyOut(
      `copy (select ${columns.join(', ')} from ${rest} order by ${order} limit ${ROWS_PER_COPY}) to stdout`,
    );
    if (bytes.length > 0) yield linesOf(bytes);
    const more = await transaction.query(
      `select ${keepLast.join(', ')} from
         (select ${key.map(({ column }) => column).join(', ')} from ${rest} order by ${order} offset ${ROWS_PER_COPY - 1} limit 1) as last`,
    );
    if (more.length === 0) return;
    rest = `${name} where (${order}) > (${last.join(', ')})`;
  }
}
