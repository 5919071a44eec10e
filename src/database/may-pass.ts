import { DatabaseError } from './port.ts';
import { DatabaseUnavailable } from './unavailable.ts';

/** A connection that broke, a Postgres that starts or stops, one without room for another connection. */
const PASSING_STATES = /^(08|57P0[1-3]|53300)/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** Poolers have one code for all they refuse. */
const REFUSED_BY_POOLER = /no such|not found|does not exist|unsupported|required|authentication failed/i;
/** Of a certificate, or a server without encryption. */
const NOT_TRUSTED = /CERT|LEAF_SIGNATURE|INVALID_CA|support SSL/;

/** Whether waiting may mend a failure of the database: it is away, or starts. A wrong password it does not. */
export function mayPass(error: unknown): boolean {
  if (error instanceof DatabaseError) return PASSING_STATES.test(error.code);
  if (!(error instanceof DatabaseUnavailable)) return false;
  if (error.reason !== 'unreachable' && error.reason !== 'lost') return false;
  const { code = '', message = '' } = (error.cause ?? {}) as { code?: string; message?: string };
  if (REFUSED_BY_POOLER.test(message)) return code === 'ENOTFOUND';
  if (NOT_TRUSTED.test(`${code} ${message}`)) return false;
  // EPIPE has the length of a SQLSTATE and is none.
  return !SQLSTATE.test(code) || code === 'EPIPE' || PASSING_STATES.test(code);
}
