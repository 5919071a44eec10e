import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { LARGEST_COUNT } from '#domain/market-history.ts';
import { type ProblemKind, type Problems, SourceError, shown } from '../problems.ts';
import { isSessionDay, NO_DAY, readDay, readDecimal } from './fields.ts';
import { columnNames, createRowReader, type Fields, fieldText } from './rows.ts';

const CHUNK = 1 << 18;
const DOT = 46;
/** A file fails if more than this share of its rows is refused, and more rows than `few`. */
const MAY_REFUSE = { share: 0.1, few: 20 };

/** The allowed values of a column. A count is a whole number from 0 to LARGEST_COUNT. */
export type ValueRange = 'positive' | 'not negative' | 'count' | 'any';

/** Reads the rows of one file. */
export interface TableReader {
  readonly columns: readonly string[];
  /** Columns that the file may lack. They count after `columns`. */
  readonly optional?: readonly string[];
  onRow(row: TableRow): void;
}

/**
 * Streams a CSV file, gzipped or not, into `table`. Rejects a row whose number of fields differs from the header's.
 * Throws SourceError for a header without the columns, a file without rows, an unreadable file, and a file of which too
 * many rows are refused.
 */
export async function readTable(path: string, table: TableReader, problems: Problems): Promise<void> {
  const file = basename(path);
  const names = [...table.columns, ...(table.optional ?? [])];
  let row: TableRow | null = null;
  let width = 0;
  let rows = 0;
  let refused = 0;
  const reader = createRowReader(file, (bytes, fields, line) => {
    if (row === null) {
      const places = readHeader(file, table.columns, names, bytes, fields);
      row = createRow(file, names, fields, places, problems);
      width = fields.count;
      return;
    }
    rows += 1;
    const before = problems.refused;
    if (fields.count === width) {
      row.moveTo(bytes, line);
      table.onRow(row);
    } else if (fields.count < 0)
      problems.refuse('quote', { file, line }, 'a quote is not closed on its line');
    else problems.refuse('columns', { file, line }, `${fields.count} fields where the header has ${width}`);
    if (problems.refused > before) refused += 1;
  });
  await streamInto(path, file, reader.feed);
  reader.end();
  if (rows === 0)
    throw new SourceError(`${file} has no rows below its header. Put data into it or remove it.`);
  if (refused <= MAY_REFUSE.few || refused <= MAY_REFUSE.share * rows) return;
  const first = problems.shown.find((problem) => problem.file === file)?.message ?? '';
  const some = refused === rows ? `None of the ${rows}` : `Only ${rows - refused} of ${rows}`;
  throw new SourceError(
    `${some} rows of ${file} can be used (${first}). Correct the refused rows or remove them.`,
  );
}

export type TableRow = ReturnType<typeof createRow>;

/**
 * Creates the object through which all rows of a file are read, one at a time. Column n is `names[n]`, and `places[n]`
 * is its index in `fields`. Allocates nothing per row, unless a row is rejected.
 */
function createRow(
  file: string,
  names: readonly string[],
  fields: Fields,
  places: Int32Array,
  problems: Problems,
) {
  const { starts, ends } = fields;
  let bytes: Uint8Array = new Uint8Array();
  let line = 0;
  let repeatedBytes = new Uint8Array();
  let repeatedText = '';

  const start = (column: number) => starts[places[column] as number] as number;
  const end = (column: number) => ends[places[column] as number] as number;
  const text = (column: number) => fieldText(bytes, fields, places[column] as number);
  /** The day in a field, in days since 1970-01-01; NO_DAY if the text is not a day. */
  const day = (column: number) => readDay(bytes, start(column), end(column));
  /** The number in a field; NaN if the text is not a number. */
  const decimal = (column: number) => readDecimal(bytes, start(column), end(column));

  /**
   * Rejects the row. `why` gets the printable text of the column and returns the reason. An empty field is rejected as
   * a missing value.
   */
  function refuse(kind: ProblemKind, column: number, why: (text: string) => string): void {
    const place = { file, line, column: names[column] as string };
    const quoted = shown(text(column));
    if (quoted === '') problems.refuse('missing value', place, 'there is no value');
    else problems.refuse(kind, place, why(quoted));
  }

  function refuseNumber(column: number, value: number, range: ValueRange): void {
    const why = refusalOf(value, range);
    refuse(Number.isNaN(value) ? 'number' : 'price', column, (quoted) => `'${quoted}' is ${why}`);
  }

  return {
    moveTo(itsBytes: Uint8Array, itsLine: number): void {
      bytes = itsBytes;
      line = itsLine;
    },
    /** Counts from 1. */
    get line() {
      return line;
    },
    text,
    day,
    decimal,
    refuse,

    /** False for a column that the file lacks, an empty field, and a single dot (FRED's missing value). */
    hasValue(column: number): boolean {
      if ((places[column] as number) < 0) return false;
      const length = end(column) - start(column);
      return length > 1 || (length === 1 && bytes[start(column)] !== DOT);
    },

    /** Returns the text of a column that has the same text in many rows. Allocates only if the text changes. */
    repeatedText(column: number): string {
      const from = start(column);
      let isSame = end(column) - from === repeatedBytes.length;
      for (let at = 0; isSame && at < repeatedBytes.length; at += 1)
        isSame = bytes[from + at] === repeatedBytes[at];
      if (!isSame) {
        repeatedBytes = new Uint8Array(bytes.subarray(from, end(column)));
        repeatedText = text(column);
      }
      return repeatedText;
    },

    /** Returns the day of a column. If it is not a session, rejects the row and returns NO_DAY. */
    session(column: number): number {
      const session = day(column);
      if (isSessionDay(session)) return session;
      const why = session === NO_DAY ? 'a day written YYYY-MM-DD' : 'a session of the exchange';
      refuse('date', column, (quoted) => `'${quoted}' is not ${why}`);
      return NO_DAY;
    },

    /** Returns the number of a column. If it is out of range, rejects the row and returns NaN. */
    number(column: number, range: ValueRange): number {
      const value = decimal(column);
      if (isInRange(value, range)) return value;
      refuseNumber(column, value, range);
      return Number.NaN;
    },

    /**
     * Reads the numbers of consecutive columns, from `first` on, into `into`. If one is out of range, rejects the row
     * and returns false.
     */
    numbers(first: number, ranges: readonly ValueRange[], into: Float64Array): boolean {
      const current = bytes;
      for (let index = 0; index < ranges.length; index += 1) {
        const place = places[first + index] as number;
        const value = readDecimal(current, starts[place] as number, ends[place] as number);
        into[index] = value;
        const range = ranges[index] as ValueRange;
        if (isInRange(value, range)) continue;
        refuseNumber(first + index, value, range);
        return false;
      }
      return true;
    },
  };
}

function isInRange(value: number, range: ValueRange): boolean {
  if (range === 'count') return Number.isInteger(value) && value >= 0 && value <= LARGEST_COUNT;
  return value > 0 || (value === 0 && range !== 'positive') || (value < 0 && range === 'any');
}

/** Returns the reason why a value is out of range. */
function refusalOf(value: number, range: ValueRange): string {
  if (Number.isNaN(value)) return 'not a number';
  if (value < 0) return 'negative';
  return range === 'count' ? `not a whole number up to ${LARGEST_COUNT}` : 'zero';
}

function readHeader(
  file: string,
  required: readonly string[],
  names: readonly string[],
  bytes: Uint8Array,
  fields: Fields,
): Int32Array {
  const found = columnNames(bytes, fields);
  const missing = required.find((column) => !found.includes(column));
  if (missing !== undefined) {
    throw new SourceError(
      `${file}, line 1: the header must have the columns ${required.join(',')}; column ${missing} is not in '${shown(found.join(','), 80)}'.`,
    );
  }
  return Int32Array.from(names, (name) => found.indexOf(name));
}

async function streamInto(path: string, file: string, feed: (chunk: Uint8Array) => void): Promise<void> {
  const input = createReadStream(path, { highWaterMark: CHUNK });
  const consume = async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) feed(chunk);
  };
  try {
    // zlib inflates the next chunk on another thread while this one parses the previous chunk.
    if (path.endsWith('.gz')) await pipeline(input, createGunzip({ chunkSize: CHUNK }), consume);
    else await pipeline(input, consume);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code.startsWith('Z_'))
      throw new SourceError(`${file} is not a complete gzip file. Copy it here again.`, { cause: error });
    throw new SourceError(
      `${path} cannot be read (${code || 'unknown reason'}). Check the file and its permissions.`,
      {
        cause: error,
      },
    );
  }
}
