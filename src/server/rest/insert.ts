import { quoted } from '#queries/read-statement.ts';
import { type Operation, REST_LIMITS, type RestRequest } from './exchange.ts';
import type { Table } from './exposed-tables.ts';
import { parseInsertColumns } from './parameters.ts';
import { notSingle, permissionDenied, Refusal, unacceptableBody } from './refusal.ts';
import { checkContentType, parseAccept, parsePrefer, parseProfile } from './request-headers.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const HOW_TO = 'Send one JSON object, or a list of objects with the same keys.';

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses a body. Returns its rows, and the rows as a JSON array with the original text of the request. Throws `Refusal`. */
function parseBody(body: Uint8Array) {
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

// The database counts inserts by client. With `true`, the setting ends with the transaction.
const SET_CLIENT = "select set_config('barometer.client', $1::text, true)";

/** Parses an insert, which is durable. Throws `Refusal`. */
export function insertOf(table: Table, { query, headers, body, client }: RestRequest): Operation {
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
  const statement = insertStatement(table, columns);
  const count = isCounted ? rows.length : '*';
  const response = {
    ...{ status: 201, body: '' },
    headers: { 'Content-Range': `*/${count}`, ...preferences.headers },
  };
  return {
    kind: 'insert',
    table: table.name,
    async run(database, leftMs) {
      const statementTimeoutMs = Math.min(REST_LIMITS.statementMs, leftMs);
      await database.transaction(
        async (transaction) => {
          await transaction.query(SET_CLIENT, [client]);
          await transaction.query(statement, [json]);
        },
        { role: 'anon', durable: true, statementTimeoutMs },
      );
      return response;
    },
  };
}

/** Returns the statement of an insert. Its only parameter is the JSON, so that numbers and escapes do not change. */
function insertStatement(table: Table, columns: readonly string[]): string {
  const names = columns.map(quoted).join(', ');
  const types = columns.map((column) => `${quoted(column)} ${table.columns.get(column)}`).join(', ');
  return (
    `insert into public.${quoted(table.name)} (${names}) ` +
    `select ${names} from json_to_recordset($1::json) as _row(${types})`
  );
}
