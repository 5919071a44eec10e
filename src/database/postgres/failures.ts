import { DatabaseError } from '../port.ts';
import { DatabaseUnavailable } from '../unavailable.ts';

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

/** What the driver says, without a code, of a connection that is no more, or was just found to be. */
const LOST = /connection (terminated|ended|closed|error)|not queryable|query read timeout/i;

/** An error of the driver in the words of the port; anything else as it is. */
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

/** Where the address points, without user and password. */
export function placeOf(url: string): string {
  try {
    const { host, pathname, searchParams } = new URL(url);
    return `${host || (searchParams.get('host') ?? 'the local socket')}${pathname}`;
  } catch {
    return 'the address in DATABASE_URL';
  }
}

const NO_ENCRYPTION = /does not support SSL/;
const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
/** The words of a certificate that does not show who answers: self-signed, of an unknown authority, out of date. */
const IN_DOUBT = /CERT|LEAF_SIGNATURE|INVALID_CA/;

function sentenceOf({ message, code }: { message: string; code: string }, place: string): string {
  if (NO_ENCRYPTION.test(message)) {
    return `Postgres at ${place} offers no encryption, which sslmode in DATABASE_URL asks for: have it switched on there, or take sslmode=disable on a network of your own.`;
  }
  if (code === OTHER_NAME) {
    return `Postgres at ${place} has the certificate of another name: take the name it is for in DATABASE_URL.`;
  }
  if (IN_DOUBT.test(code)) {
    return `Postgres at ${place} has a certificate that shows nothing (${code}): name the file of its authority in sslrootcert of DATABASE_URL.`;
  }
  const reason = isSqlState(code) ? message : code || 'no answer';
  return `Postgres at ${place} cannot be reached (${reason}): check DATABASE_URL and that the server runs.`;
}

/** Says in one plain sentence that no connection could be had. Never the password. */
export function unreachable(error: unknown, url: string): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error;
  return new DatabaseUnavailable('unreachable', sentenceOf(fieldsOf(error), placeOf(url)), { cause: error });
}
