import { DatabaseError } from '#database/port.ts';

/** What a line of the log may carry beside its event. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

export interface LogOptions {
  /** Takes one line, its line break included. */
  write: (line: string) => void;
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** `plain` for a person at a terminal, `json` for a program. */
  format: 'plain' | 'json';
}

// The last line of defence: nothing of ours puts these into a line, a message from elsewhere might.
const CREDENTIALS = /(:\/\/)\S*@/g;
const ADDRESS = /(?<![^\s@"'(),:;<>=])[^\s@"'(),:;<>=]+@[^\s@"'(),:;<>]+/g;
const LINK_TOKEN = /\b(unsubscribe|confirm)\/[^\s/?#"'<>]+/gi;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a line stays one line
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const LONGEST_VALUE = 500;
/** Longer values are cut before they are filtered, which bounds the time of the patterns. */
const LONGEST_READ = 4 * LONGEST_VALUE;

/** The beginning of a text, up to a word that ends within it: half an address is not known for one. */
function beginning(text: string): string {
  if (text.length <= LONGEST_READ) return text;
  return text.slice(0, text.lastIndexOf(' ', LONGEST_READ) + 1);
}

function presentable(value: string | number | boolean | null): string | number | boolean | null {
  if (typeof value !== 'string') return value;
  return beginning(value)
    .replace(CREDENTIALS, '$1')
    .replace(ADDRESS, '[address]')
    .replace(LINK_TOKEN, '$1/[token]')
    .replace(CONTROL, ' ')
    .slice(0, LONGEST_VALUE);
}

/** A log of one line an event, in which no e-mail address, password of an address or token of a link ever stands. */
export function createLog({ write, clock, format }: LogOptions): Log {
  const log =
    (level: 'info' | 'warn' | 'error') =>
    (event: string, fields: LogFields = {}) => {
      const present = Object.entries(fields).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, presentable(value)] as const],
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

/** The log of a command, which reports at its end instead. */
export const SILENT_LOG: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** What the log says of a failed look into the database: of the database's own words nothing, as they may quote an address. */
export function failureFields(error: unknown): LogFields {
  return error instanceof DatabaseError ? { code: error.code } : { reason: reasonOf(error) };
}

/** The sentence of an error, for a field of the log. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
