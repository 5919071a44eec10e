import type { Database } from '#database/port.ts';
import { quoted } from '#queries/read-statement.ts';
import { REST_LIMITS, type RestRequest, type RestResponse } from './exchange.ts';
import type { Table } from './exposed-tables.ts';
import { parseInsertColumns } from './parameters.ts';
import { notSingle, permissionDenied, Refusal, unacceptableBody } from './refusal.ts';
import { checkContentType, parseAccept, parsePrefer, parseProfile } from './request-headers.ts';

export interface Insert {
  readonly kind: 'insert';
  readonly table: Table;
  readonly columns: readonly string[];
  /** The rows as a JSON list, with the same text as in the request. */
  readonly json: string;
  readonly client: string;
  readonly headers: Readonly<Record<string, string>>;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const HOW_TO = 'Send one JSON object, or a list of objects with the same keys.';

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a body. Returns its rows, and the rows as a JSON array with the original text of the request. Throws `Refusal`. */
function parseBody(body: Uint8Array): { rows: object[]; json: string } {
  let json: string;
  let value: unknown;
  try {
    json = utf8.decode(body);
    value = JSON.parse(json);
  } catch {
    throw unacceptableBody('The body is not valid JSON in UTF-8.', HOW_TO);
  }
  const rows: unknown[] = Array.isArray(value) ? value : [value];
  if (rows.length === 0 || !rows.every(isObject))
    throw unacceptableBody('The body has no rows to insert.', HOW_TO);
  if (rows.length > REST_LIMITS.listItems) {
    throw unacceptableBody('The body has too many rows.', `Send at most ${REST_LIMITS.listItems}.`);
  }
  return { rows, json: Array.isArray(value) ? json : `[${json}]` };
}

/** Returns the columns of the rows. Throws `Refusal` if the rows have different columns. */
function columnsOf(rows: readonly object[]): string[] {
  const [first = '', ...others] = rows.map((row) => JSON.stringify(Object.keys(row).sort()));
  if (others.some((other) => other !== first)) throw unacceptableBody('All object keys must match', HOW_TO);
  const columns: string[] = JSON.parse(first);
  if (columns.length === 0) throw unacceptableBody('The rows have no columns.', HOW_TO);
  return columns;
}

function checkColumns({ name, columns }: Table, named: readonly string[]): void {
  const unknown = named.find((column) => !columns.has(column));
  if (unknown === undefined) return;
  const message = `Could not find the '${unknown.slice(0, 100)}' column of '${name}'`;
  throw new Refusal(400, 'PGRST204', message);
}

export function insertOf(table: Table, { query, headers, body, client }: RestRequest): Insert {
  parseProfile(headers['content-profile']);
  const { isCounted, ...preferences } = parsePrefer(headers.prefer, ['return=minimal', 'count=exact']);
  // To return rows is a read, and to merge duplicates is an update. The public role may do neither.
  if (preferences.isBeyondInsert) throw permissionDenied(table.name);
  const shape = parseAccept(headers.accept);
  checkContentType(headers['content-type']);
  if (body === null) {
    throw unacceptableBody('Request body too large', `Send at most ${REST_LIMITS.bodyBytes} bytes.`, 413);
  }
  const named = parseInsertColumns(query);
  const { rows, json } = parseBody(body);
  const columns = named ?? columnsOf(rows);
  checkColumns(table, columns);
  if (shape === 'single' && rows.length !== 1) throw notSingle(rows.length);
  const count = isCounted ? rows.length : '*';
  return {
    kind: 'insert',
    table,
    columns,
    json,
    client,
    headers: { 'Content-Range': `*/${count}`, ...preferences.headers },
  };
}

// The database counts inserts by client. With `true`, the setting ends with the transaction.
const SET_CLIENT = "select set_config('barometer.client', $1::text, true)";

/** Returns the statement of an insert. Its only parameter is the JSON, so that numbers and escapes do not change. */
export function insertStatement({ table, columns }: Pick<Insert, 'table' | 'columns'>): string {
  const names = columns.map(quoted).join(', ');
  const types = columns.map((column) => `${quoted(column)} ${table.columns.get(column)}`).join(', ');
  return (
    `insert into public.${quoted(table.name)} (${names}) ` +
    `select ${names} from json_to_recordset($1::json) as _row(${types})`
  );
}

/** Inserts as `anon`, durably. After `leftMs`, Postgres cancels an insert that still waits. Throws `DatabaseError`. */
export async function executeInsert(
  database: Database,
  insert: Insert,
  leftMs: number,
): Promise<RestResponse> {
  const statementTimeoutMs = Math.min(REST_LIMITS.statementMs, leftMs);
  await database.transaction(
    async (transaction) => {
      await transaction.query(SET_CLIENT, [insert.client]);
      await transaction.query(insertStatement(insert), [insert.json]);
    },
    { role: 'anon', durable: true, statementTimeoutMs },
  );
  return { status: 201, headers: insert.headers, body: '' };
}
