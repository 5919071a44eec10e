import { DatabaseUnavailable } from '#database/failures.ts';
import { DatabaseError } from '#database/port.ts';
import { failureFields, type Log } from '../log.ts';
import type { RestResponse } from './exchange.ts';

interface RefusalFields {
  readonly status: number;
  readonly code: string | null;
  readonly message: string;
  readonly details?: string | null;
  readonly hint?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refused request. The response has the status, error body and headers that PostgREST sends. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string | null;
  readonly response: RestResponse;

  constructor({ status, code, message, details = null, hint = null, headers = {} }: RefusalFields) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.response = {
      status,
      headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
      body: JSON.stringify({ code, details, hint, message }),
    };
  }
}

const LONGEST_QUOTE = 100;

/** Returns the beginning of a text from the request, for use in a message. */
const excerpt = (text: string) => (text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);

/** Refuses a query parameter that the gate does not support. `hint` says what to write instead. */
export function unsupported(parameter: string, hint: string): Refusal {
  const message = `This server does not support "${excerpt(parameter)}".`;
  return new Refusal({ status: 400, code: 'PGRST100', message, hint });
}

/** Refuses a table that is not exposed. */
export function unknownTable(name: string, exposed: Iterable<string>): Refusal {
  return new Refusal({
    status: 404,
    code: 'PGRST205',
    message: `Could not find the table 'public.${excerpt(name)}'`,
    hint: `The tables are ${[...exposed].join(', ')}.`,
  });
}

/** Refuses a read of a column that its table does not have, with the message of Postgres. */
export function unknownColumn(table: string, column: string): Refusal {
  return new Refusal({
    status: 400,
    code: '42703',
    message: `column ${table}.${excerpt(column)} does not exist`,
  });
}

/** Refuses an operation for which the public role has no right, with the message of Postgres. */
export function permissionDenied(table: string): Refusal {
  return new Refusal({
    status: 401,
    code: '42501',
    message: `permission denied for table ${table}`,
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** Refuses an invalid limit, offset or range. */
export function unsatisfiableRange(details: string, headers: Record<string, string> = {}): Refusal {
  const message = 'Requested range not satisfiable';
  return new Refusal({ status: 416, code: 'PGRST103', message, details, headers });
}

/** Refuses a request body that is not a list of rows. */
export function unacceptableBody(message: string, hint: string, status = 400): Refusal {
  return new Refusal({ status, code: 'PGRST102', message, hint });
}

/** Refuses a request of a client over its rate limit. */
export function tooManyRequests(message: string): Refusal {
  return new Refusal({ status: 429, code: 'PT429', message, headers: { 'Retry-After': '1' } });
}

/** Refuses a request before the server has data, with the code that PostgREST has until it knows the tables. */
export function notStarted(reason: string, seconds: string): Refusal {
  return new Refusal({ status: 503, code: 'PGRST002', message: reason, headers: { 'Retry-After': seconds } });
}

/** Refuses a request for one object if the read returns another number of rows than one. */
export function notSingle(rows: number): Refusal {
  return new Refusal({
    status: 406,
    code: 'PGRST116',
    message: 'JSON object requested, multiple (or no) rows returned',
    details: `The result contains ${rows} rows`,
  });
}

/**
 * The statuses that PostgREST sends, with the SQLSTATEs and classes of SQLSTATEs for which it sends them. The status of
 * all other SQLSTATEs is 400.
 */
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
export const RETRY_SOON = '5';

/** Returns the HTTP status for the SQLSTATE of a database error. */
export function statusOfSqlstate(code: string): number {
  if (code.startsWith('PT')) return Number(NAMED_STATUS.exec(code)?.[1] ?? 500);
  return STATUS_OF_SQLSTATE.get(code) ?? STATUS_OF_SQLSTATE.get(code.slice(0, 2)) ?? 400;
}

/**
 * Returns the refusal for a database error. Leaves out details that may quote a row with an address, or that describe a
 * failure of the server.
 */
function refusalOfDatabaseError(error: DatabaseError): Refusal {
  const status = statusOfSqlstate(error.code);
  const hasDetails = status < 500 && !error.code.startsWith('23');
  return new Refusal({
    status,
    code: error.code,
    message: error.message,
    details: hasDetails ? error.detail : null,
    hint: error.hint,
    headers: {
      ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...(status === 429 && { 'Retry-After': RETRY_NEXT_HOUR }),
      ...(status === 503 && { 'Retry-After': RETRY_SOON }),
    },
  });
}

/**
 * Returns the refusal while the database is unavailable. After a lost connection (PGRST001), the row of an insert may
 * be stored.
 */
function refusalOfUnavailable({ reason }: DatabaseUnavailable): Refusal {
  const [code, message] =
    reason === 'lost'
      ? ['PGRST001', 'The connection to the database was lost. Please try again.']
      : ['PGRST000', 'The database is not available. Please try again later.'];
  return new Refusal({ status: 503, code, message, headers: { 'Retry-After': RETRY_SOON } });
}

/** Returns the refusal for any error. The reason of an unknown error is only logged. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof DatabaseError) return refusalOfDatabaseError(error);
  if (error instanceof DatabaseUnavailable) return refusalOfUnavailable(error);
  const message = 'The server failed to process the request. Please try again later.';
  return new Refusal({ status: 500, code: 'XX000', message });
}

/** Logs a failure of the server or the database. Logs nothing for a refused request. */
export function logFailure(log: Log, request: { method: string; table: string }, error: unknown): void {
  if (error instanceof Refusal || refusalOf(error).status < 500) return;
  log.error('rest', { ...request, ...failureFields(error) });
}
