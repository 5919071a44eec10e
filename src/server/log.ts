import { DatabaseError } from '#database/port.ts';

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

export interface LogOptions {
  /** Writes one log line. The text includes the line break. */
  write: (line: string) => void;
  clock: () => number;
  /** `plain` for people at a terminal, `json` for programs. */
  format: 'plain' | 'json';
}

// Our code logs none of these, but a message of a library or another server may contain them.
const CREDENTIALS = /(:\/\/)\S*@/g;
const ADDRESS = /(?<![^\s@"'(),:;<>=])[^\s@"'(),:;<>=]+@[^\s@"'(),:;<>]+/g;
const LINK_TOKEN = /\b(unsubscribe|confirm|alerts)\/[^\s/?#"'<>]+/gi;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a value must not start another line
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const MAX_VALUE = 500;
/** Longer values are cut before they are searched for secrets, which limits the time of the search. */
const MAX_FILTERED = 4 * MAX_VALUE;

/** Cuts a long text at a space, because half of an address would not be recognized as an address. */
function shorten(text: string): string {
  if (text.length <= MAX_FILTERED) return text;
  return text.slice(0, text.lastIndexOf(' ', MAX_FILTERED) + 1);
}

function withoutSecrets(value: string | number | boolean | null): string | number | boolean | null {
  if (typeof value !== 'string') return value;
  return shorten(value)
    .replace(CREDENTIALS, '$1')
    .replace(ADDRESS, '[address]')
    .replace(LINK_TOKEN, '$1/[token]')
    .replace(CONTROL, ' ')
    .slice(0, MAX_VALUE);
}

/** Creates a log with one line per event. Removes e-mail addresses, passwords in URLs and tokens of links. */
export function createLog({ write, clock, format }: LogOptions): Log {
  const log =
    (level: 'info' | 'warn' | 'error') =>
    (event: string, fields: LogFields = {}) => {
      const present = Object.entries(fields).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, withoutSecrets(value)] as const],
      );
      const time = new Date(clock()).toISOString();
      if (format === 'json') {
        write(`${JSON.stringify({ time, level, event, ...Object.fromEntries(present) })}\n`);
        return;
      }
      const parts = present.map(([name, value]) => {
        const text = String(value);
        return `${name}=${/[\s"=]/.test(text) || text === '' ? JSON.stringify(text) : text}`;
      });
      const mark = level === 'info' ? [] : [level];
      write(`${[time.slice(11, 19), ...mark, event, ...parts].join(' ')}\n`);
    };
  return { info: log('info'), warn: log('warn'), error: log('error') };
}

/** Period of the counts of a throttled log (ms). */
const PERIOD_MS = 1_000;

/** Creates a log that writes the first failure of a kind at once, and then once a second how often it has occurred. */
export function throttledLog(log: Log) {
  const repeated = new Map<string, { times: number; readonly write: (times: number) => void }>();

  function flush(): void {
    for (const [kind, entry] of repeated) {
      if (entry.times === 0) repeated.delete(kind);
      else entry.write(entry.times);
      entry.times = 0;
    }
  }
  const timer = setInterval(flush, PERIOD_MS).unref();

  const throttled =
    (level: 'warn' | 'error') =>
    (event: string, fields: LogFields = {}): void => {
      const kind = [level, event, fields.code, fields.reason].join(' ');
      const entry = repeated.get(kind);
      if (entry !== undefined) {
        entry.times += 1;
        return;
      }
      log[level](event, fields);
      repeated.set(kind, { times: 0, write: (times) => log[level](event, { ...fields, times }) });
    };

  return {
    info: log.info,
    warn: throttled('warn'),
    error: throttled('error'),
    /** Writes the counts that were not yet written, and stops. */
    end() {
      clearInterval(timer);
      flush();
    },
  };
}

/** A log that writes nothing, for commands, which report their result at the end instead. */
export const SILENT_LOG: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Returns the log fields for a failed query. A database error has only its code: its message may contain an address. */
export function failureFields(error: unknown): LogFields {
  return error instanceof DatabaseError ? { code: error.code } : { reason: reasonOf(error) };
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
