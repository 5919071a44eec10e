import type { Database, Transaction, TransactionOptions } from '#database/port.ts';
import { REST_LIMITS, type ReadQuery } from './dialect.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import { parseRead } from './parameters.ts';
import { notSingle, unsatisfiableRange } from './refusal.ts';
import { CONTENT_TYPE_OF, parseAccept, parsePrefer, parseProfile } from './request-headers.ts';
import { readStatement } from './sql.ts';
import type { Table } from './tables.ts';

/** A read, and those headers of its response that do not depend on the rows. */
export interface Read {
  readonly kind: 'read';
  readonly query: ReadQuery;
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the read that a GET or HEAD request for a table makes. Throws `Refusal`. */
export function readOf(
  table: Table,
  { method, query, headers }: Pick<RestRequest, 'method' | 'query' | 'headers'>,
): Read {
  const profile = parseProfile(headers['accept-profile']);
  const { counted, headers: applied } = parsePrefer(headers.prefer, ['count=exact']);
  const shape = parseAccept(headers.accept);
  // HTTP defines the Range header for GET only.
  const range = method === 'GET' ? headers.range : undefined;
  return {
    kind: 'read',
    query: { table, ...parseRead(table, query, range), counted, shape },
    headers: { ...applied, ...profile },
  };
}

/** Options of the transaction of a read. The migrations limit the rights of the role `anon`. */
export const READ_OPTIONS = {
  role: 'anon',
  readOnly: true,
  statementTimeoutMs: REST_LIMITS.statementMs,
} as const satisfies TransactionOptions;

/** Performs a read in a transaction of its own. Throws `Refusal` and `DatabaseError`. */
export function executeRead(database: Database, read: Read): Promise<RestResponse> {
  return database.transaction((transaction) => runRead(transaction, read), READ_OPTIONS);
}

/** Performs a read in an open transaction with `READ_OPTIONS`. Throws `Refusal` and `DatabaseError`. */
export async function runRead(
  transaction: Transaction,
  { query, headers: fixed }: Read,
): Promise<RestResponse> {
  const { sql, parameters } = readStatement(query);
  const [row] = await transaction.query(sql, parameters);
  const rows = Number(row?.rows ?? 0);
  const total = row?.total == null ? null : Number(row.total);
  const { offset } = query.range;
  if (query.shape === 'single' && rows !== 1) throw notSingle(rows);
  const range = `${rows === 0 ? '*' : `${offset}-${offset + rows - 1}`}/${total ?? '*'}`;
  const headers = { 'Content-Range': range, ...fixed };
  if (total !== null && offset > 0 && offset > total) {
    const details = `An offset of ${offset} was requested, but there are only ${total} rows.`;
    throw unsatisfiableRange(details, headers);
  }
  return {
    status: total !== null && rows < total ? 206 : 200,
    headers: { 'Content-Type': CONTENT_TYPE_OF[query.shape], ...headers },
    body: String(row?.body),
  };
}
