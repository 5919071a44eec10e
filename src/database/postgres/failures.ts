import { DatabaseError } from '../port.ts';
import { DatabaseUnavailable } from '../unavailable.ts';

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
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
  if (NETWORK_CODES.has(fields.code) || /connection (terminated|ended|closed)/i.test(fields.message)) {
    return new DatabaseUnavailable('unreachable', 'The connection to the database was lost: try again.', {
      cause: error,
    });
  }
  return error;
}

/** Where the address points, without user and password. */
function placeOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host || 'the local socket'}${pathname}`;
  } catch {
    return 'the address in DATABASE_URL';
  }
}

/** Says in one plain sentence that no connection could be had. Never the password. */
export function unreachable(error: unknown, url: string): DatabaseUnavailable {
  const { message, code } = fieldsOf(error);
  const reason = isSqlState(code) ? message : code || 'no answer';
  return new DatabaseUnavailable(
    'unreachable',
    `Postgres at ${placeOf(url)} cannot be reached (${reason}): check DATABASE_URL and that the server runs.`,
    { cause: error },
  );
}
