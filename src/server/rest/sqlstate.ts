import type { DatabaseError } from '#database/port.ts';
import type { DatabaseUnavailable } from '#database/unavailable.ts';
import { Refusal } from './refusal.ts';

// PostgREST 12's mapping of SQLSTATE to status but for one, for a request without a user of its own. The longest
// prefix that is listed wins.
const STATUS_OF_SQLSTATE = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '23503': 409,
  '23505': 409,
  '25': 500,
  '25006': 405,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '42501': 401,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '53': 503,
  '53400': 500,
  '54': 500,
  '55': 500,
  '57': 500,
  // A statement that took too long. PostgREST says 500; but a database that is slow is worth another try a while later.
  '57014': 503,
  '57P01': 503,
  '58': 500,
  F0: 500,
  HV: 500,
  P0: 500,
  P0001: 400,
  XX: 500,
} as const;

/** The SQLSTATE by which a function in the database names the status itself. */
const NAMED_STATUS = /^PT([1-9]\d\d)$/;
const TOO_MANY = 429;
/** Seconds: the database counts by the hour. */
const TRY_AGAIN_AFTER = '3600';
const AWAY = 503;
/** Seconds. */
export const BACK_AFTER = '5';

/** The status of a database error; 400 where PostgREST lists none. */
export function statusOfSqlstate(code: string): number {
  if (code.startsWith('PT')) return Number(NAMED_STATUS.exec(code)?.[1] ?? 500);
  const statuses: Readonly<Record<string, number>> = STATUS_OF_SQLSTATE;
  return statuses[code] ?? statuses[code.slice(0, 2)] ?? 400;
}

/**
 * What a visitor is told of a database error. Constraint violations keep no details, because theirs quote the
 * row, and the row is somebody's address; failures of the server itself keep none either.
 */
export function refusalOfDatabaseError(error: DatabaseError): Refusal {
  const status = statusOfSqlstate(error.code);
  const isTold = status < 500 && !error.code.startsWith('23');
  return new Refusal({
    status,
    code: error.code,
    message: error.message,
    details: isTold ? error.detail : null,
    hint: error.hint,
    headers: {
      ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
      ...(status === TOO_MANY && { 'Retry-After': TRY_AGAIN_AFTER }),
      ...(status === AWAY && { 'Retry-After': BACK_AFTER }),
    },
  });
}

/** The refusal while the database is unavailable, with PostgREST's codes: PGRST001 if the connection broke midway. */
export function databaseAway({ reason }: DatabaseUnavailable): Refusal {
  const [code, message] =
    reason === 'lost'
      ? ['PGRST001', 'The connection to the database was lost. Please try again.']
      : ['PGRST000', 'The database is not available. Please try again later.'];
  return new Refusal({ status: AWAY, code, message, headers: { 'Retry-After': BACK_AFTER } });
}
