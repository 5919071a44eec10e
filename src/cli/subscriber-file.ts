import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createRowReader } from '#collector/csv/read-table.ts';
import { SourceError } from '#collector/problems.ts';
import type { ImportLine } from '#mailer/subscribers/import-subscribers.ts';

const CHUNK_BYTES = 1 << 18;

/** Names of the columns that are read. If a file has several with one meaning, the first name in the list counts. */
const COLUMNS = {
  email: ['email'],
  consent: ['confirmed_at', 'consent_date', 'consent_at', 'subscribed_at', 'created_at'],
  /** The state of a subscription. In a file without such a column, all subscriptions are active. */
  status: ['status', 'is_active'],
  /** The time at which an inactive subscription ended. */
  end: ['deactivated_at', 'unsubscribed_at', 'updated_at'],
  alerts: ['alerts'],
};

const ACTIVE_WORDS: readonly string[] = ['enabled', 'active', 'subscribed', 'confirmed', 'true'];
const INACTIVE_WORDS: readonly string[] = [
  ...['disabled', 'blocklisted', 'inactive', 'unsubscribed', 'unconfirmed', 'bounced', 'complained', 'false'],
];

/** Accepted contents of the column `alerts`. An empty cell means no alerts. */
const ALERT_WORDS: readonly string[] = ['true', 'false', ''];

/** Matches a date, or a time with an optional offset, as ISO 8601, Postgres and Go write it. UTC without an offset. */
const INSTANT =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?(?: \S{1,6})?)?$/;
/** Some systems write an earlier date in place of a missing date. */
const EARLIEST = Date.UTC(1990, 0, 1);

/** Parses a date or a time to epoch ms. Null for any other text, and for times before 1990. */
export function parseInstant(text: string): number | null {
  const [, day = '', time = '00:00', zone = 'Z'] = INSTANT.exec(text) ?? [];
  const [, sign, hours = '', minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  const offset = sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`;
  const instant = Date.parse(`${day}T${time.replace(/(\.\d{3})\d+$/, '$1')}${offset}`);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Needed because JavaScript accepts a day 31 in every month.
  const isDay = Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(day);
  return isDay && instant >= EARLIEST ? instant : null;
}

/** Removes the `'` that an export puts before a cell that a spreadsheet would run as a formula. */
const withoutFormulaMark = (text: string): string =>
  /^'+[=+\-@\t\r\n＝＋－＠]/.test(text) ? text.slice(1) : text;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the database refuses them
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Returns the positions of the columns; -1 for a missing column. */
function readHeader(file: string, cells: readonly string[]) {
  const names = cells.map((cell) => cell.toLowerCase());
  const known = Object.values(COLUMNS).flat();
  const twice = known.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) {
    throw new SourceError(
      `${file} has the column "${twice}" twice in its first line. Rename or remove one of them.`,
    );
  }
  const placeOf = (columns: readonly string[]) =>
    names.indexOf(columns.find((column) => names.includes(column)) ?? '');
  const places = {
    email: placeOf(COLUMNS.email),
    consent: placeOf(COLUMNS.consent),
    status: placeOf(COLUMNS.status),
    end: placeOf(COLUMNS.end),
    alerts: placeOf(COLUMNS.alerts),
  };
  if (places.email < 0) {
    throw new SourceError(
      `${file} has no column "email" in its first line. Add a header that names the columns, separated by commas.`,
    );
  }
  if (places.consent < 0) {
    throw new SourceError(
      `${file} has no column with the date of consent. Add one of ${COLUMNS.consent.join(', ')}.`,
    );
  }
  return { width: cells.length, ...places };
}

/** Returns a function that parses a row. It returns null for the header. */
function createParser(file: string, now: number) {
  let columns: ReturnType<typeof readHeader> | null = null;
  let isInQuote = false;

  /** Returns the reason why a row cannot be read; null if it can be read. */
  function faultOf(cells: readonly string[] | null, text: string, width: number): string | null {
    const wasInQuote = isInQuote;
    // With an odd number of quotes, a cell that begins in this line continues in the next line.
    if (text.split('"').length % 2 === 0) isInQuote = !isInQuote;
    // A line inside a cell of several lines may look like a row, but the owner of the address in it has not consented.
    if (wasInQuote || isInQuote) return 'part of a cell of several lines';
    if (cells === null) return 'a quote inside a cell is not doubled';
    if (cells.length !== width) return 'the number of cells differs from the header';
    return text.includes('\ufffd') ? 'not in UTF-8' : null;
  }

  return (cells: readonly string[] | null, line: number, row: string): ImportLine | null => {
    if (columns === null) {
      columns = readHeader(file, cells ?? []);
      return null;
    }
    const malformed = (reason: string): ImportLine => ({ kind: 'malformed', line, reason });
    const fault = faultOf(cells, row, columns.width);
    if (fault !== null) return malformed(fault);
    const text = (column: number) => cells?.[column] ?? '';
    const email = withoutFormulaMark(text(columns.email));
    if (email === '') return malformed('no address');
    if (CONTROL.test(email)) return malformed('not an address that can receive mail');
    const status = columns.status < 0 ? 'active' : text(columns.status).toLowerCase();
    if (INACTIVE_WORDS.includes(status)) {
      return { kind: 'inactive', line, email, endedAt: parseInstant(text(columns.end)) };
    }
    if (!ACTIVE_WORDS.includes(status)) return malformed('an unknown status');
    const consentedAt = parseInstant(text(columns.consent));
    if (consentedAt === null) return malformed('no valid date of consent');
    if (consentedAt > now) return malformed('a date of consent in the future');
    const alerts = text(columns.alerts).toLowerCase();
    if (!ALERT_WORDS.includes(alerts)) return malformed('alerts is neither true nor false');
    return { kind: 'active', line, email, consentedAt, alerts: alerts === 'true' };
  };
}

/** Reads a CSV file of subscribers, chunk by chunk. `now` (epoch ms) is the latest valid date of consent. */
export async function* readSubscriberFile(path: string, now: number): AsyncGenerator<ImportLine[]> {
  const file = basename(path);
  const parse = createParser(file, now);
  const lines: ImportLine[] = [];
  let hasHeader = false;
  const reader = createRowReader(file, (cells, line, text) => {
    const parsed = parse(cells, line, text);
    if (parsed === null) hasHeader = true;
    else lines.push(parsed);
  });
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
      reader.feed(chunk as Uint8Array);
      yield lines.splice(0);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new SourceError(`${path} cannot be read (${code}). Check the path and its permissions.`, {
      cause: error,
    });
  }
  reader.end();
  if (!hasHeader) throw new SourceError(`${file} is empty. Export the subscribers again.`);
  yield lines;
}
