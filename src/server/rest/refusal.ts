import { DatabaseError } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import { failureFields, type Log } from '../log.ts';
import type { RestResponse } from './exchange.ts';

/** The reason why a request is refused, with PostgREST's status, error body and headers. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: string | null;
  readonly hint: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(fields: {
    status: number;
    code: string;
    message: string;
    details?: string | null;
    hint?: string | null;
    headers?: Readonly<Record<string, string>>;
  }) {
    super(fields.message);
    this.name = 'Refusal';
    this.status = fields.status;
    this.code = fields.code;
    this.details = fields.details ?? null;
    this.hint = fields.hint ?? null;
    this.headers = fields.headers ?? {};
  }
}

export function refusalResponse({ status, code, details, hint, message, headers }: Refusal): RestResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify({ code, details, hint, message }),
  };
}

const LONGEST_QUOTE = 100;

/** The start of a request's own text, to quote in a message. */
const excerpt = (text: string) => (text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);

/** A query parameter outside the dialect. `hint` says what to write instead. */
export function unsupported(parameter: string, hint: string): Refusal {
  const message = `This server does not support "${excerpt(parameter)}".`;
  return new Refusal({ status: 400, code: 'PGRST100', message, hint });
}

/** A table that is not exposed. */
export function unknownTable(name: string, exposed: Iterable<string>): Refusal {
  return new Refusal({
    status: 404,
    code: 'PGRST205',
    message: `Could not find the table 'public.${excerpt(name)}'`,
    hint: `The tables are ${[...exposed].join(', ')}.`,
  });
}

/** A column that the table of a read does not have, in the words of Postgres. */
export function unknownColumn(table: string, column: string): Refusal {
  return new Refusal({
    status: 400,
    code: '42703',
    message: `column ${table}.${excerpt(column)} does not exist`,
  });
}

/** An operation that the public role has no right to, in the words of Postgres. */
export function permissionDenied(table: string): Refusal {
  return new Refusal({
    status: 401,
    code: '42501',
    message: `permission denied for table ${table}`,
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** Rows to skip or to return that make no range of rows. */
export function unsatisfiableRange(details: string, headers: Record<string, string> = {}): Refusal {
  const message = 'Requested range not satisfiable';
  return new Refusal({ status: 416, code: 'PGRST103', message, details, headers });
}

/** A request body that is no list of rows. */
export function unacceptableBody(message: string, hint: string, status = 400): Refusal {
  return new Refusal({ status, code: 'PGRST102', message, hint });
}

/** Another number of rows where one object is requested. */
export function notSingle(rows: number): Refusal {
  return new Refusal({
    status: 406,
    code: 'PGRST116',
    message: 'JSON object requested, multiple (or no) rows returned',
    details: `The result contains ${rows} rows`,
  });
}

/** Status by SQLSTATE or its class, as in PostgREST for a request without a user of its own. Others are 400. */
const STATUS_OF_SQLSTATE: Readonly<Record<string, number>> = {
  ...{ '08': 503, '09': 500, '0L': 403, '0P': 403, '23503': 409, '23505': 409, '25': 500, '25006': 405 },
  ...{ '28': 403, '2D': 500, '38': 500, '39': 500, '3B': 500, '40': 500, '42501': 401, '42883': 404 },
  ...{ '42P01': 404, '42P17': 500, '53': 503, '53400': 500, '54': 500, '55': 500, '57': 500, '57P01': 503 },
  ...{ '58': 500, F0: 500, HV: 500, P0: 500, P0001: 400, XX: 500 },
  // A statement that timed out: PostgREST responds 500, but a retry a while later may succeed.
  '57014': 503,
};

/** The SQLSTATE by which a function in the database names the status itself. */
const NAMED_STATUS = /^PT([1-9]\d\d)$/;
const TOO_MANY = 429;
const AWAY = 503;
/** `Retry-After` of both (s): the database counts inserts by the hour. */
const NEXT_HOUR = '3600';
export const BACK_AFTER = '5';

/** The HTTP status of a database error. */
export function statusOfSqlstate(code: string): number {
  if (code.startsWith('PT')) return Number(NAMED_STATUS.exec(code)?.[1] ?? 500);
  return STATUS_OF_SQLSTATE[code] ?? STATUS_OF_SQLSTATE[code.slice(0, 2)] ?? 400;
}

/**
 * The refusal for a database error. Details of a constraint are left out, since they quote the row, which holds an
 * address; those of a failure of the server as well.
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
      ...(status === TOO_MANY && { 'Retry-After': NEXT_HOUR }),
      ...(status === AWAY && { 'Retry-After': BACK_AFTER }),
    },
  });
}

/** The refusal while the database is unavailable: PGRST001 if the connection broke midway, after which a row may be stored. */
function refusalOfUnavailable({ reason }: DatabaseUnavailable): Refusal {
  const [code, message] =
    reason === 'lost'
      ? ['PGRST001', 'The connection to the database was lost. Please try again.']
      : ['PGRST000', 'The database is not available. Please try again later.'];
  return new Refusal({ status: AWAY, code, message, headers: { 'Retry-After': BACK_AFTER } });
}

/** The refusal for anything that a request threw. The reason of an unknown error stays in the log. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof DatabaseError) return refusalOfDatabaseError(error);
  if (error instanceof DatabaseUnavailable) return refusalOfUnavailable(error);
  const message = 'The server failed to process the request. Please try again later.';
  return new Refusal({ status: 500, code: 'XX000', message });
}

/** Logs a failure of the server or the database, and nothing for a refused request. */
export function logFailure(log: Log, of: { method: string; table: string }, error: unknown): void {
  if (error instanceof Refusal || refusalOf(error).status < 500) return;
  log.error('rest', { ...of, ...failureFields(error) });
}
