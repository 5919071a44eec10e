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

/** Matches the driver's messages for a lost connection. These errors have no code. */
const LOST = /connection (terminated|ended|closed|error)|not queryable|query read timeout/i;

/** Converts an error of the driver to `DatabaseError` or `DatabaseUnavailable`. Returns other errors unchanged. */
export function fromPostgres(error: unknown): unknown {
  if (error instanceof DatabaseError || error instanceof DatabaseUnavailable) return error;
  const fields = fieldsOf(error);
  if (fields.code === '53100') {
    return new DatabaseUnavailable(
      'full',
      'The disk of the database server is full. Free some space and try again.',
      {
        cause: error,
      },
    );
  }
  if (isSqlState(fields.code)) return new DatabaseError(fields);
  if (NETWORK_CODES.has(fields.code) || LOST.test(fields.message)) {
    return new DatabaseUnavailable('lost', 'The connection to the database was lost. Try again.', {
      cause: error,
    });
  }
  return error;
}

/** Returns the host and the database of an address, without user and password. */
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
    return `Postgres at ${place} offers no encryption, but sslmode in DATABASE_URL requires it. Enable encryption in Postgres, or set sslmode=disable on a private network.`;
  }
  if (code === WRONG_NAME) {
    return `Postgres at ${place} has a certificate for another host name. Use that name in DATABASE_URL.`;
  }
  if (UNTRUSTED.test(code)) {
    return `Postgres at ${place} has a certificate that cannot be verified (${code}). Set sslrootcert in DATABASE_URL to the file of its certificate authority.`;
  }
  const reason = isSqlState(code) ? message : code || 'no response';
  return `Postgres at ${place} cannot be reached (${reason}). Check DATABASE_URL and that the server runs.`;
}

/**
 * Messages of permanent refusals. Poolers send one code for all refusals, so only the message identifies a permanent
 * one.
 */
const REFUSED_BY_POOLER = /no such|not found|does not exist|unsupported|required|authentication failed/i;

function isTransientFailure({ message, code }: { message: string; code: string }): boolean {
  if (code === 'ENOTFOUND') return true;
  if (NO_ENCRYPTION.test(message) || UNTRUSTED.test(code) || REFUSED_BY_POOLER.test(message)) return false;
  return !isSqlState(code) || TRANSIENT_STATES.test(code);
}

/**
 * Returns the error for a connection that could not be made. Its message is one sentence and does not contain the
 * password.
 */
export function unreachable(error: unknown, url: string): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error;
  const fields = fieldsOf(error);
  return new DatabaseUnavailable('unreachable', sentenceOf(fields, placeOf(url)), {
    cause: error,
    isTransient: isTransientFailure(fields),
  });
}
