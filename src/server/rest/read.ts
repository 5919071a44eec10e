import type { Database } from '#database/port.ts';
import type { Asked } from './address.ts';
import { REST_LIMITS, type ReadQuery } from './dialect.ts';
import { contentLocation, contentRange, type RestRequest, type RestResponse } from './exchange.ts';
import { CONTENT_TYPE_OF, notSingle, readAccept } from './media-type.ts';
import { preferenceApplied, readPreferences } from './preferences.ts';
import { knownTable, unknownColumn, unsatisfiableRange } from './refusal.ts';
import { spelledOut } from './select.ts';
import { readStatement } from './sql.ts';
import type { Table } from './tables.ts';

function checkColumns({ table, columns, conditions, ordering }: ReadQuery): void {
  const named = [...columns, ...[...conditions, ...ordering].map(({ column }) => column)];
  const unknown = named.find((column) => !table.columns.has(column));
  if (unknown !== undefined) throw unknownColumn(table.name, table.columns.keys(), unknown);
}

/** A read as a request asks for it, and what its answer says whatever the rows are. */
export interface Read {
  readonly query: ReadQuery;
  /** Where the answer can be had again. */
  readonly location: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The read that a request asks for of a table, or of a name that is none. Pure. Throws `Refusal`: for the headers first, then
 * for an unknown table or column, which PostgREST leaves to the database.
 */
export function parseRead(named: Table | string, request: RestRequest, asked: Asked): Read {
  const shape = readAccept(request.headers.accept);
  const { count, handling } = readPreferences(request.headers.prefer);
  const table = knownTable(named);
  const { conditions, ordering, range } = asked;
  const columns = spelledOut(asked.selected, [...table.columns.keys()]);
  const single = shape === 'single';
  const query = { table, columns, conditions, ordering, range, counted: count === 'exact', single };
  checkColumns(query);
  return {
    query,
    location: contentLocation(table.name, asked.parameters),
    headers: preferenceApplied({ count, handling }),
  };
}

/**
 * Longest `Content-Location` that is sent. Encoding makes it up to nine times as long as the query, and nginx takes a
 * response head of 4 KB, Node's HTTP client one of 16 KB.
 */
const LONGEST_LOCATION = 2_048;

/** Answers a read from the database. Throws `Refusal` and `DatabaseError`. */
export async function answerRead(database: Database, read: Read): Promise<RestResponse> {
  const { query, location } = read;
  const { sql, parameters } = readStatement(query);
  const [row] = await database.transaction((transaction) => transaction.query(sql, parameters), {
    role: 'anon',
    readOnly: true,
    statementTimeoutMs: REST_LIMITS.statementMs,
  });
  const rows = Number(row?.rows ?? 0);
  const total = row?.total == null ? null : Number(row.total);
  if (query.single && rows !== 1) {
    throw notSingle(rows);
  }
  const offset = BigInt(query.range.offset);
  const headers = {
    'Content-Type': CONTENT_TYPE_OF[query.single ? 'single' : 'list'],
    'Content-Range': contentRange(offset, rows, total),
    ...(location.length <= LONGEST_LOCATION && { 'Content-Location': location }),
    ...read.headers,
  };
  if (total !== null && offset > 0n && offset > BigInt(total)) {
    const details = `An offset of ${offset} was requested, but there are only ${total} rows.`;
    throw unsatisfiableRange(details, { ...headers, 'Content-Type': CONTENT_TYPE_OF.list });
  }
  const status = total !== null && rows < total ? 206 : 200;
  return { status, headers, body: String(row?.body) };
}
