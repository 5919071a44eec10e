import { DatabaseUnavailable } from '#database/failures.ts';
import { DatabaseError } from '#database/port.ts';
import { failureFields, type Log } from '../log.ts';
import { TooManyWaiting } from '../queue.ts';
import type { RestResponse } from './exchange.ts';

interface RefusalParts {
  readonly details?: string | null;
  readonly hint?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refused request. The response has the status, error body and headers that PostgREST sends. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly code: string | null;
  readonly response: RestResponse;

  constructor(
    status: number,
    code: string | null,
    message: string,
    { details = null, hint = null, headers = {} }: RefusalParts = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.response = {
      status,
      headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
      body: JSON.stringify({ code, details, hint, message }),
    };
  }
}

export const excerpt = (text: string) => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** Refuses a query parameter that the gate does not support. `hint` says what to write instead. */
export const unsupported = (parameter: string, hint: string) =>
  new Refusal(400, 'PGRST100', `This server does not support "${excerpt(parameter)}".`, { hint });

/** Refuses an operation for which the public role has no right, with the message of Postgres. */
export const permissionDenied = (table: string) =>
  new Refusal(401, '42501', `permission denied for table ${table}`, {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });

export const unsatisfiableRange = (details: string, headers: Record<string, string> = {}) =>
  new Refusal(416, 'PGRST103', 'Requested range not satisfiable', { details, headers });

export const unacceptableBody = (message: string, hint: string, status = 400) =>
  new Refusal(status, 'PGRST102', message, { hint });

/** Refuses a request for one object if the read returns another number of rows than one. */
export const notSingle = (rows: number) =>
  new Refusal(406, 'PGRST116', 'JSON object requested, multiple (or no) rows returned', {
    details: `The result contains ${rows} rows`,
  });

/** The statuses that PostgREST sends for SQLSTATEs and their classes. All other SQLSTATEs have 400. */
const SQLSTATES_OF_STATUS: readonly [status: number, codes: readonly string[]][] = [
  [400, ['P0001']],
  [401, ['42501']],
  [403, ['0L', '0P', '28']],
  [404, ['42883', '42P01']],
  [405, ['25006']],
  [409, ['23503', '23505']],
  [500, '09 25 2D 38 39 3B 40 42P17 53400 54 55 57 58 F0 HV P0 XX'.split(' ')],
  // PostgREST sends 500 for a timeout of a statement (57014) or a lock (55P03), and while Postgres stops or starts (57P0x).
  // 503 is better, because a later retry may succeed.
  [503, ['08', '53', '55P03', '57014', '57P01', '57P02', '57P03']],
];
const STATUS_OF_SQLSTATE = new Map(
  SQLSTATES_OF_STATUS.flatMap(([status, codes]) => codes.map((code) => [code, status] as const)),
);

/** Matches an SQLSTATE with which a function in the database sets the HTTP status. */
const NAMED_STATUS = /^PT([1-9]\d\d)$/;
/** Value of `Retry-After` in seconds. The database counts inserts per hour. */
const RETRY_NEXT_HOUR = '3600';
const RETRY_SOON = '5';

function statusOfSqlstate(code: string): number {
  if (code.startsWith('PT')) return Number(NAMED_STATUS.exec(code)?.[1] ?? 500);
  return STATUS_OF_SQLSTATE.get(code) ?? STATUS_OF_SQLSTATE.get(code.slice(0, 2)) ?? 400;
}

/** Returns the refusal for any error. The reason of an unknown error is only logged. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const retrySoon = { headers: { 'Retry-After': RETRY_SOON } };
  if (error instanceof TooManyWaiting)
    return new Refusal(503, 'PGRST003', 'Timed out acquiring connection from connection pool.', retrySoon);
  if (error instanceof DatabaseUnavailable) {
    // After a lost connection, the row of an insert may be stored.
    return error.reason === 'lost'
      ? new Refusal(503, 'PGRST001', 'The connection to the database was lost. Please try again.', retrySoon)
      : new Refusal(503, 'PGRST000', 'The database is not available. Please try again later.', retrySoon);
  }
  if (!(error instanceof DatabaseError))
    return new Refusal(500, 'XX000', 'The server failed to process the request. Please try again later.');
  const { code, message, detail, hint } = error;
  const status = statusOfSqlstate(code);
  // Other details may quote a row with an address, or describe a failure of the server.
  const hasDetails = status < 500 && !code.startsWith('23');
  return new Refusal(status, code, message, {
    details: hasDetails ? detail : null,
    hint,
    headers: {
      ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...(status === 429 && { 'Retry-After': RETRY_NEXT_HOUR }),
      ...(status === 503 && retrySoon.headers),
    },
  });
}

/** Logs a failure of the server or the database. Logs nothing for a refused request. */
export function logFailure(log: Log, request: { method: string; table: string }, error: unknown): void {
  if (error instanceof Refusal || refusalOf(error).status < 500) return;
  log.error('rest', { ...request, ...failureFields(error) });
}
