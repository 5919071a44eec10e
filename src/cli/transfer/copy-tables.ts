import { isTransient } from '#database/failures.ts';
import { type Database, DatabaseError, type Transaction } from '#database/port.ts';
import {
  createRowCounter,
  type Header,
  linesOf,
  openArchive,
  type Piece,
  type TableEntry,
  type TransferOptions,
  writeArchive,
} from './archive.ts';

/** The tables of an export, each after those that it refers to. Rows that last for hours at most are not exported. */
export const TRANSFERRED_TABLES: readonly string[] = [
  ...['mailer.settings', 'operations.public_key', 'public.market_indices', 'public.market_metrics'],
  ...['public.fear_greed_index', 'public.sector_strength', 'public.advanced_indicators'],
  ...['public.market_sentiment', 'public.market_breadth', 'public.input_origins', 'public.market_stocks'],
  ...[
    'operations.published_rights',
    'collector.symbols',
    'collector.bars',
    'collector.series',
    'collector.holding',
    'collector.runs',
  ],
  ...['archive.publications', 'public.quality_events'],
  ...['public.email_subscribers', 'mailer.issued_signals', 'mailer.grades'],
  ...['archive.ledger_key', 'archive.ledger_entries', 'archive.verdict_changes', 'archive.risk_outlooks'],
  ...['mailer.messages', 'archive.anchors', 'mailer.deliveries', 'mailer.reports'],
];

/** Tables with a row in each new database, which an import replaces. */
export const FILLED_TABLES: readonly string[] = ['mailer.settings', 'operations.public_key'];

/** Triggers that an import disables: the rows were checked when they were first stored, with their deliveries. */
const DISABLED_TRIGGERS = [
  'future_row_refused',
  'order_kept',
  'subscriber_1_normalised',
  'subscriber_4_asked',
];

/** Timeout of a response: a count, a lock, stored rows, or the next piece of a table. A server that takes longer hangs. */
const STATEMENT_LIMIT = { statementTimeoutMs: 300_000 } as const;

/** A table with its columns, whose names are quoted for SQL. */
interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** SQL for the order of its key, so that equal rows are equal bytes. */
  readonly order: string;
  /** The sequence of the identity column; null if there is none. */
  readonly sequence: string | null;
}

const readTables = (transaction: Transaction): Promise<Table[]> =>
  transaction.query<Table>(
    `select name, json_agg(quote_ident(attname) order by attnum) as columns,
       string_agg(quote_ident(attname) || case atttypid when 'text'::regtype then ' collate "C"' else '' end, ', ' order by place)
         filter (where place is not null) as "order",
       max(case when attidentity <> '' then pg_get_serial_sequence(name, attname) end) as sequence
     from unnest($1::text[]) with ordinality as listed (name, rank)
     join pg_attribute on attrelid = name::regclass and attnum > 0 and not attisdropped
     left join pg_index on indrelid = attrelid and indisprimary
     cross join lateral array_position(indkey::int2[], attnum) as place
     group by name, rank order by rank`,
    [TRANSFERRED_TABLES],
  );

async function readValue<T>(transaction: Transaction, sql: string): Promise<T | undefined> {
  const [row] = await transaction.query<{ value: T }>(sql);
  return row?.value;
}

const newestMigration = async (transaction: Transaction): Promise<string> =>
  (await readValue<string>(
    transaction,
    'select max(version) as value from supabase_migrations.schema_migrations',
  )) ?? '';

const countRows = async (transaction: Transaction, { name }: Table): Promise<number> =>
  (await readValue<number>(transaction, `select count(*) as value from ${name}`)) ?? 0;

async function readNextId(transaction: Transaction, { sequence }: Table): Promise<number | null> {
  if (sequence === null) return null;
  const sql = `select last_value + is_called::int as value from ${sequence}`;
  return (await readValue<number>(transaction, sql)) ?? null;
}

/** Exports the tables as of one instant, and returns the header. After an error there is no new file. */
export function exportDatabase(database: Database, path: string, options: TransferOptions): Promise<Header> {
  return database.transaction(
    async (transaction) => {
      // Settings of the database or the role may change the text form of values. A copy of a large table may take an hour,
      // while `STATEMENT_LIMIT` limits the wait for each of its pieces.
      await transaction.query(
        `select set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true),
           set_config('statement_timeout', '1h', true)`,
      );
      const tables = await readTables(transaction);
      const entries: TableEntry[] = [];
      for (const table of tables) {
        const { name, columns } = table;
        const rows = await countRows(transaction, table);
        entries.push({ name, columns, rows, nextId: await readNextId(transaction, table) });
      }
      const header = { migration: await newestMigration(transaction), tables: entries };
      async function* rows(): AsyncGenerator<Uint8Array> {
        // Reports progress only after the file was opened, so that an export to an unwritable file reports none.
        const advance = createRowCounter('exporting', header, options);
        for (const { name, columns, order } of tables) {
          const sql = `copy (select ${columns.join(', ')} from ${name} order by ${order}) to stdout`;
          for await (const bytes of transaction.copyOut(sql)) {
            yield bytes;
            advance(linesOf(bytes).rows);
          }
        }
      }
      await writeArchive(path, header, rows());
      return header;
    },
    { readOnly: true, snapshot: true, ...STATEMENT_LIMIT },
  );
}

interface ImportOptions extends TransferOptions {
  /** Throws if another process has taken the lease. Otherwise none can take it until the transaction ends. */
  readonly checkHeld: (transaction: Transaction) => Promise<void>;
}

/** Throws if the tables differ from those of the export. */
async function checkTables(
  transaction: Transaction,
  tables: readonly Table[],
  { migration, tables: entries }: Header,
): Promise<void> {
  const here = await newestMigration(transaction);
  if (migration !== here) {
    const [age, advice] =
      migration > here
        ? ['a newer', 'update this installation, and import again']
        : ['an older', 'update the other installation, and export again'];
    throw new Error(
      `The export is from ${age} Barometer (migration ${migration}; this one has ${here}): ${advice}.`,
    );
  }
  for (const [at, { name, columns }] of tables.entries()) {
    const entry = entries[at];
    if (entry?.name === name && entry.columns.join() === columns.join()) continue;
    throw new Error(
      `The table ${name} is different in the export. Both databases must have the same migrations and no other changes.`,
    );
  }
}

/** Locks the tables and deletes the rows that every new database has. Throws if there are other rows. */
async function claimEmptyTables(transaction: Transaction, tables: readonly Table[]): Promise<void> {
  await transaction.query(`lock table ${TRANSFERRED_TABLES.join(', ')} in share row exclusive mode`);
  for (const table of tables) {
    if (FILLED_TABLES.includes(table.name)) await transaction.query(`delete from ${table.name}`);
    const rows = await countRows(transaction, table);
    if (rows === 0) continue;
    throw new Error(
      `The database has data already (${rows} ${rows === 1 ? 'row' : 'rows'} in ${table.name}). Import into an empty database.`,
    );
  }
}

/** Disables the triggers that would refuse or change imported rows. Returns a function that restores their state. */
async function disableTriggers(transaction: Transaction): Promise<() => Promise<void>> {
  // A trigger that always fires also does so in a session that disables ordinary triggers, as a replica does.
  const triggers = await transaction.query<{ disable: string; enable: string }>(
    `select format('alter table %s disable trigger %I', tgrelid::regclass, tgname) as disable,
       format('alter table %s enable %s trigger %I', tgrelid::regclass,
         case tgenabled when 'A' then 'always' end, tgname) as enable
     from pg_trigger where tgname = any($1::text[]) and tgrelid = any($2::regclass[])`,
    [DISABLED_TRIGGERS, TRANSFERRED_TABLES],
  );
  await transaction.script(triggers.map(({ disable }) => disable).join(';'));
  return () => transaction.script(triggers.map(({ enable }) => enable).join(';'));
}

async function copyRows(transaction: Transaction, { table: { name, columns }, bytes, rows }: Piece) {
  const sql = `copy ${name} (${columns.join(', ')}) from stdin`;
  const copied = await transaction.copyIn(sql, bytes).catch((error: unknown) => {
    if (!(error instanceof DatabaseError)) throw error;
    const { message } = error;
    throw new Error(
      isTransient(error)
        ? `The database ended the connection (${message}). Nothing was imported: import again.`
        : `The database refused the rows of ${name}: ${message}. Correct the cause and import again.`,
      { cause: error },
    );
  });
  if (copied === rows) return;
  throw new Error(
    `The database kept ${copied} of ${rows} rows of ${name}. Remove triggers that are not Barometer's and import again.`,
  );
}

/** Imports an archive into an empty database, in one transaction. After an error the database is unchanged. */
export function importArchive(database: Database, path: string, options: ImportOptions): Promise<Header> {
  return database.transaction(
    async (transaction) => {
      const { header, pieces } = await openArchive(path);
      const tables = await readTables(transaction);
      await checkTables(transaction, tables, header);
      await claimEmptyTables(transaction, tables);
      const enableTriggers = await disableTriggers(transaction);
      const advance = createRowCounter('importing', header, options);
      for await (const piece of pieces) {
        await copyRows(transaction, piece);
        advance(piece.rows);
      }
      await enableTriggers();
      // New rows continue the ids of the old database, so that the id of a deleted row is not used again.
      for (const [at, { sequence }] of tables.entries()) {
        const nextId = header.tables[at]?.nextId ?? null;
        if (sequence !== null && nextId !== null)
          await transaction.query('select setval($1::regclass, $2::bigint, false)', [sequence, nextId]);
      }
      await options.checkHeld(transaction);
      return header;
    },
    { durable: true, ...STATEMENT_LIMIT },
  );
}
