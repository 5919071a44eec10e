import { once } from 'node:events';
import type { Database, Transaction, TransactionOptions } from '#database/port.ts';
import { QueryError } from '#queries/query-error.ts';
import type { SendRead } from '#queries/read-rows.ts';
import { type AnyRead, type ReadResult, type Runner, runRead, sendInto } from '#queries/read-statement.ts';
import type { TableRead } from '#queries/table-reads.ts';
import { type Headers, type Resource, toResource } from '../http/response.ts';
import { UNFRAMED_HEADERS } from '../http/security-headers.ts';
import { type Operation, REST_LIMITS, type RestRequest, type RestResponse } from './exchange.ts';
import type { Table } from './exposed-tables.ts';
import { parseRead } from './parameters.ts';
import { notSingle, unsatisfiableRange } from './refusal.ts';
import { parseAccept, parsePrefer, parseProfile, SINGLE_TYPE } from './request-headers.ts';

/** Parses a read. Throws `Refusal`. */
export function readOf(table: Table, { method, query, headers }: RestRequest): Operation {
  const profile = parseProfile(headers['accept-profile']);
  const { isCounted } = parsePrefer(headers.prefer, ['count=exact']);
  const shape = parseAccept(headers.accept);
  // HTTP defines the Range header for GET only.
  const range = method === 'GET' ? headers.range : undefined;
  const read = { ...parseRead(table, query, range), isCounted };
  return {
    kind: 'read',
    table: table.name,
    async run(database) {
      const result = await database.transaction((transaction) => runRead(transaction, read), READ_OPTIONS);
      if (shape === 'list') return listResponse(read, result, profile);
      if (result.rows !== 1) throw notSingle(result.rows);
      // The only row of a JSON list, without its brackets.
      const row = { ...result, body: result.body.slice(1, -1) };
      return listResponse(read, row, { ...profile, 'Content-Type': SINGLE_TYPE });
    },
  };
}

/** Options of the transaction of a read. The migrations limit the rights of the role `anon`. */
export const READ_OPTIONS = {
  role: 'anon',
  readOnly: true,
  statementTimeoutMs: REST_LIMITS.statementMs,
} as const satisfies TransactionOptions;

/** Returns the response to a read with its rows as a list. `headers` are added. Throws `Refusal`. */
function listResponse(
  { offset = 0, isCounted = false }: AnyRead,
  { body, rows, total }: ReadResult,
  headers: Readonly<Record<string, string>> = {},
): RestResponse {
  const own = {
    'Content-Range': `${rows === 0 ? '*' : `${offset}-${offset + rows - 1}`}/${total ?? '*'}`,
    ...(isCounted && { 'Preference-Applied': 'count=exact' }),
    ...headers,
  };
  if (total !== null && offset > total) {
    const details = `An offset of ${offset} was requested, but there are only ${total} rows.`;
    throw unsatisfiableRange(details, own);
  }
  return {
    status: total !== null && rows < total ? 206 : 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...own },
    body,
  };
}

/** Request headers that may change the response at one address. */
const VARY = 'Accept, Accept-Encoding, Accept-Profile, Origin, Prefer, Range';

/** Returns the headers of a response to a read. Caches must not store a partial response. */
export function headersOfRead({ status, headers }: RestResponse): Headers {
  const caching = status === 206 ? 'no-store' : 'public, max-age=60, stale-while-revalidate=60';
  return { ...UNFRAMED_HEADERS, ...headers, 'Cache-Control': caching, Vary: VARY };
}

/** Creates a resource from the response to a read. It is not compressed. */
export function resourceOfRead(response: RestResponse): Resource {
  return toResource(Buffer.from(response.body), headersOfRead(response), { status: response.status });
}

type OnResponse = (read: TableRead, response: RestResponse) => void;

/** Performs reads in one snapshot of the tables. Rejects with QueryError, whose cause is the database's error. */
export type SnapshotReads = <T>(read: (send: SendRead) => Promise<T>, onResponse?: OnResponse) => Promise<T>;

/** Time limit (ms). Reads in a browser have the same one. */
const TIMEOUT_MS = 15_000;
/** Maximum number of pending snapshots while the database does not respond. Each uses a connection. */
const MAX_PENDING = 2;

function unavailable(cause: unknown): QueryError {
  const error = new QueryError('failed_to_fetch');
  error.cause = cause;
  return error;
}

/** Creates the server's own reads, in one snapshot, so that a page never mixes the rows of two runs. */
export function createSnapshotReads(database: Database): SnapshotReads {
  let pending = 0;
  return async (read, onResponse) => {
    if (pending >= MAX_PENDING) throw unavailable(new Error('Earlier reads of the page are still pending.'));
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const work = (transaction: Transaction) => {
      const runner: Runner = {
        query(sql, parameters) {
          limit.throwIfAborted();
          return transaction.query(sql, parameters);
        },
      };
      return read(
        sendInto(runner, undefined, (sent, result) => onResponse?.(sent, listResponse(sent, result))),
      );
    };
    pending += 1;
    const reading = database.transaction(work, { ...READ_OPTIONS, snapshot: true }).finally(() => {
      pending -= 1;
    });
    const expired = once(limit, 'abort').then(() => Promise.reject(limit.reason));
    return Promise.race([reading, expired]).catch((error: unknown) => {
      throw unavailable(error);
    });
  };
}
