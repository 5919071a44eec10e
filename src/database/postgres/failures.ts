import { DatabaseError } from '../port.ts';
import { DatabaseUnavailable, TRANSIENT_STATES } from '../unavailable.ts';

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EPROTO',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'ENOENT',
]);

function fieldsOf(error: unknown): {
  message: string;
  code: string;
  detail: string | null;
  hint: string | null;
} {
  const fields = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const text = (name: string) => (typeof fields[name] === 'string' ? (fields[name] as string) : null);
  return {
    message: text('message') ?? String(error),
    code: text('code') ?? '',
    detail: text('detail'),
    hint: text('hint'),
  };
}

const isSqlState = (code: string): boolean => /^[0-9A-Z]{5}$/.test(code) && !NETWORK_CODES.has(code);

/** The driver's messages for a lost connection, which have no code. */
const LOST = /connection (terminated|ended|closed|error)|not queryable|query read timeout/i;

/** Converts an error of the driver to `DatabaseError` or `DatabaseUnavailable`. Returns other errors unchanged. */
export function fromPostgres(error: unknown): unknown {
  if (error instanceof DatabaseError || error instanceof DatabaseUnavailable) return error;
  const fields = fieldsOf(error);
  if (fields.code === '53100') {
    return new DatabaseUnavailable('full', "The database server's disk is full: make room and try again.", {
      cause: error,
    });
  }
  if (isSqlState(fields.code)) return new DatabaseError(fields);
  if (NETWORK_CODES.has(fields.code) || LOST.test(fields.message)) {
    return new DatabaseUnavailable('lost', 'The connection to the database was lost: try again.', {
      cause: error,
    });
  }
  return error;
}

/** Host and database of an address, without user and password. */
export function placeOf(url: string): string {
  try {
    const { host, pathname, searchParams } = new URL(url);
    return `${host || (searchParams.get('host') ?? 'the local socket')}${pathname}`;
  } catch {
    return 'the address in DATABASE_URL';
  }
}

const NO_ENCRYPTION = /does not support SSL/;
const WRONG_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
/** Codes of a certificate that is self-signed, expired or from an unknown authority. */
const UNTRUSTED = /CERT|LEAF_SIGNATURE|INVALID_CA/;

function sentenceOf({ message, code }: { message: string; code: string }, place: string): string {
  if (NO_ENCRYPTION.test(message)) {
    return `Postgres at ${place} offers no encryption, which sslmode in DATABASE_URL requires: enable it there, or set sslmode=disable on a private network.`;
  }
  if (code === WRONG_NAME) {
    return `Postgres at ${place} has a certificate for another name: use that name in DATABASE_URL.`;
  }
  if (UNTRUSTED.test(code)) {
    return `Postgres at ${place} has a certificate that cannot be verified (${code}): name the file of its certificate authority in sslrootcert of DATABASE_URL.`;
  }
  const reason = isSqlState(code) ? message : code || 'no response';
  return `Postgres at ${place} cannot be reached (${reason}): check DATABASE_URL and that the server runs.`;
}

/** Messages of permanent refusals. Poolers have one code for all refusals. */
const REFUSED_BY_POOLER = /no such|not found|does not exist|unsupported|required|authentication failed/i;

function isTransientFailure({ message, code }: { message: string; code: string }): boolean {
  if (code === 'ENOTFOUND') return true;
  if (NO_ENCRYPTION.test(message) || UNTRUSTED.test(code) || REFUSED_BY_POOLER.test(message)) return false;
  return !isSqlState(code) || TRANSIENT_STATES.test(code);
}

/** The error for a connection that could not be made, in one sentence without the password. */
export function unreachable(error: unknown, url: string): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error;
  const fields = fieldsOf(error);
  return new DatabaseUnavailable('unreachable', sentenceOf(fields, placeOf(url)), {
    cause: error,
    isTransient: isTransientFailure(fields),
  });
}
