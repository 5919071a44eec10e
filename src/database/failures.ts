import { DatabaseError } from './port.ts';

/** `unreachable` and `lost` may end without action, `unusable` does not. After `lost`, a commit may have succeeded. */
export type UnavailableReason = 'unreachable' | 'lost' | 'unusable';

/** The database cannot be used at all. The message is one plain sentence for the operator. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** SQLSTATEs of a broken connection, a starting or stopping Postgres, and too many connections. */
const TRANSIENT_STATES = /^(08|57P0[1-3]|53300)/;

/** True if a failure may end without action, such as a server that is down or starting; false for a wrong password. */
export function isTransient(error: unknown): boolean {
  if (error instanceof DatabaseError) return TRANSIENT_STATES.test(error.code);
  return error instanceof DatabaseUnavailable && error.reason !== 'unusable';
}

/** A pattern for code, system call and message of a failure, its sentence, and its reason if that is not `unusable`. */
type Failure = readonly [RegExp, string, UnavailableReason?];

/** The disk is full, or an open connection was lost. */
const OF_CONNECTION: readonly Failure[] = [
  [/^53100/, 'The disk of the database server is full. Free some space and try again.'],
  [
    /^(ECONN(REFUSED|RESET|ABORTED)|EHOSTUNREACH|ENET(UNREACH|DOWN)|EPROTO|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|ENOENT) |connection (terminated|ended|closed|error)|not queryable|query read timeout/i,
    'The connection to the database was lost. Try again.',
    'lost',
  ],
];

const NOT_REACHED =
  'Postgres at PLACE cannot be reached (DETAIL). Check DATABASE_URL and that the server runs.';

const OF_SERVER: readonly Failure[] = [
  [
    /does not support SSL/,
    'Postgres at PLACE offers no encryption, but sslmode in DATABASE_URL requires it. Enable encryption in Postgres, or set sslmode=disable on a private network.',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID/,
    'Postgres at PLACE has a certificate for another host name. Use that name in DATABASE_URL.',
  ],
  [
    // Self-signed, expired or from an unknown authority.
    /^\S*(CERT|LEAF_SIGNATURE|INVALID_CA)/,
    'Postgres at PLACE has a certificate that cannot be verified (DETAIL). Set sslrootcert in DATABASE_URL to the file of its certificate authority.',
  ],
  // Poolers send one code for all refusals, so only the message identifies a permanent one.
  [/no such|not found|does not exist|unsupported|required|authentication failed/i, NOT_REACHED],
  [TRANSIENT_STATES, NOT_REACHED, 'unreachable'],
  [/^[0-9A-DF-Z][0-9A-Z]{4} /, NOT_REACHED],
  [/^/, NOT_REACHED, 'unreachable'],
];

const OF_FOLDER: readonly Failure[] = [
  [
    /^53100|\b(ENOSPC|EDQUOT)\b|no space left|disk quota|wrote only/i,
    'The disk that holds PLACE is full. No committed data is lost. Free some space and try again.',
  ],
  [
    // /proc refuses new folders with ENOENT.
    /^ENOENT mkdir|\b(EACCES|EPERM|EROFS)\b|permission denied|read-only file/i,
    'The data folder PLACE cannot be written. Give this user the right to write it, or set BAROMETER_DATA_DIR to another folder.',
  ],
  [
    /^(ENOTDIR|EEXIST)\b/,
    'PLACE is not a database folder. Move it away, or set BAROMETER_DATA_DIR to another folder.',
  ],
  [
    /^/,
    'The database in PLACE cannot be opened (DETAIL). Replace the folder by a backup, or move it away and start again.',
  ],
];

/** An SQLSTATE. Codes of the system, such as EPIPE, begin with an E, which no SQLSTATE does. */
const SQLSTATE = /^[0-9A-DF-Z][0-9A-Z]{4}$/;

/** Fields of an error if they are texts. Node, Postgres and its programs set some of them. */
type Fields = Partial<Record<'message' | 'code' | 'syscall' | 'detail' | 'hint', string>>;

function unavailable(rows: readonly Failure[], error: unknown, place: string): DatabaseUnavailable | null {
  if (error instanceof DatabaseUnavailable) return error;
  const { code = '', syscall = '', message = String(error) } = Object(error) as Fields;
  const failure = rows.find(([pattern]) => pattern.test(`${code} ${syscall} ${message}`));
  if (failure === undefined) return null;
  const [, sentence, reason = 'unusable'] = failure;
  const line = /(?:error|FATAL|PANIC): +(.*)/.exec(message)?.[1] ?? message.trim().split('\n')[0] ?? '';
  const name = typeof code === 'string' && !SQLSTATE.test(code) ? code : '';
  const detail = name || line.replace(/\.$/, '').slice(0, 200);
  const fill = (name: string) => (name === 'PLACE' ? place : detail || 'no response');
  return new DatabaseUnavailable(reason, sentence.replace(/PLACE|DETAIL/g, fill), { cause: error });
}

/** Converts an error of the driver to `DatabaseError` or `DatabaseUnavailable`. Returns other errors unchanged. */
export function fromPostgres(error: unknown): unknown {
  if (error instanceof DatabaseError) return error;
  const { code = '', message = String(error), detail = null, hint = null } = Object(error) as Fields;
  if (typeof code === 'string' && SQLSTATE.test(code) && code !== '53100')
    return new DatabaseError({ code, message, detail, hint });
  return unavailable(OF_CONNECTION, error, '') ?? error;
}

export const unreachable = (error: unknown, place: string) => unavailable(OF_SERVER, error, place);

/** Returns the error for a failed operation in the folder of the embedded database, or for the output of its programs. */
export const unavailableError = (error: unknown, folder: string) => unavailable(OF_FOLDER, error, folder);
