import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { shown } from '../printable.ts';
import { type ProblemKind, type Problems, SourceError } from '../problems.ts';
import { isSessionDay, NO_DAY, readDay } from './day.ts';
import { readDecimal } from './decimal.ts';
import { createRowReader, type Fields, fieldText } from './rows.ts';

const CHUNK = 1 << 18;
const DOT = 46;

/** The allowed values of a column. */
export type ValueRange = 'positive' | 'not negative' | 'any';

/** One row of a file, reused for the next one. Columns are counted in the order the reader names them. */
export interface TableRow {
  /** Counts from 1. */
  readonly line: number;
  /** False for an optional column that the file lacks, for an empty field, and for a lone dot (FRED's missing value). */
  hasValue(column: number): boolean;
  text(column: number): string;
  /** Days since 1970-01-01; NO_DAY if it is not a day. */
  day(column: number): number;
  /** NaN if it is not a number. */
  decimal(column: number): number;
  /** As `text`, for one column of many rows with the same text: nothing is allocated unless it changes. */
  repeatedText(column: number): string;
  /** As `day`, but rejects a day that is not a session, and returns NO_DAY for it. */
  session(column: number): number;
  /** As `decimal`, but rejects a value out of range, and returns NaN for it. */
  number(column: number, range: ValueRange): number;
  /** Reads several columns from `first` on into `into`. Returns false after rejecting one. */
  numbers(first: number, ranges: readonly ValueRange[], into: Float64Array): boolean;
  /** Rejects the row; `why` gets the printable text of the column. An empty field is always a missing value. */
  refuse(kind: ProblemKind, column: number, why: (text: string) => string): void;
}

/** Reads the rows of one file. */
export interface TableReader {
  readonly columns: readonly string[];
  /** Columns that the file may lack. They count after `columns`. */
  readonly optional?: readonly string[];
  onRow(row: TableRow): void;
}

/**
 * Streams a CSV file, gzipped or not, into `table`. Rejects a row with another number of fields. Throws SourceError
 * for a header without the columns, a file without rows, and an unreadable file.
 */
export async function readTable(path: string, table: TableReader, problems: Problems): Promise<void> {
  const file = basename(path);
  const names = [...table.columns, ...(table.optional ?? [])];
  let row: MovingRow | null = null;
  let width = 0;
  let rows = 0;
  const reader = createRowReader(file, (bytes, fields, line) => {
    if (row === null) {
      const places = readHeader(file, table.columns, names, bytes, fields);
      row = createRow(file, names, fields, places, problems);
      width = fields.count;
      return;
    }
    rows += 1;
    if (fields.count === width) {
      row.moveTo(bytes, line);
      table.onRow(row);
    } else if (fields.count < 0)
      problems.refuse('quote', { file, line }, 'a quote is not closed on its line');
    else problems.refuse('columns', { file, line }, `${fields.count} fields where the header has ${width}`);
  });
  await streamInto(path, file, reader.feed);
  reader.end();
  if (rows === 0)
    throw new SourceError(`${file} has no rows below its header; put data into it or remove it.`);
}

interface MovingRow extends TableRow {
  moveTo(bytes: Uint8Array, line: number): void;
}

/** The row at `fields`, whose columns stand at `places`. Nothing is allocated per row unless it is rejected. */
function createRow(
  file: string,
  names: readonly string[],
  fields: Fields,
  places: Int32Array,
  problems: Problems,
): MovingRow {
  const { starts, ends } = fields;
  let bytes: Uint8Array = new Uint8Array();
  let line = 0;
  let repeatedBytes = new Uint8Array();
  let repeatedText = '';

  const start = (column: number) => starts[places[column] as number] as number;
  const end = (column: number) => ends[places[column] as number] as number;
  const decimal = (column: number) => readDecimal(bytes, start(column), end(column));
  const day = (column: number) => readDay(bytes, start(column), end(column));

  const row: MovingRow = {
    moveTo(itsBytes, itsLine) {
      bytes = itsBytes;
      line = itsLine;
    },
    get line() {
      return line;
    },
    hasValue(column) {
      if ((places[column] as number) < 0) return false;
      const length = end(column) - start(column);
      return length > 1 || (length === 1 && bytes[start(column)] !== DOT);
    },
    text: (column) => fieldText(bytes, fields, places[column] as number),
    repeatedText(column) {
      const from = start(column);
      let isSame = end(column) - from === repeatedBytes.length;
      for (let at = 0; isSame && at < repeatedBytes.length; at += 1)
        isSame = bytes[from + at] === repeatedBytes[at];
      if (!isSame) {
        repeatedBytes = new Uint8Array(bytes.subarray(from, end(column)));
        repeatedText = row.text(column);
      }
      return repeatedText;
    },
    day,
    decimal,
    session(column) {
      const session = day(column);
      if (isSessionDay(session)) return session;
      const why = session === NO_DAY ? 'a day written YYYY-MM-DD' : 'a session of the exchange';
      row.refuse('date', column, (text) => `'${text}' is not ${why}`);
      return NO_DAY;
    },
    number(column, range) {
      const value = decimal(column);
      if (isInRange(value, range)) return value;
      const why = Number.isNaN(value) ? 'not a number' : value < 0 ? 'negative' : 'zero';
      row.refuse(Number.isNaN(value) ? 'number' : 'price', column, (text) => `'${text}' is ${why}`);
      return Number.NaN;
    },
    numbers(first, ranges, into) {
      const text = bytes;
      for (let index = 0; index < ranges.length; index += 1) {
        const place = places[first + index] as number;
        const value = readDecimal(text, starts[place] as number, ends[place] as number);
        into[index] = value;
        if (!isInRange(value, ranges[index] as ValueRange)) {
          row.number(first + index, ranges[index] as ValueRange);
          return false;
        }
      }
      return true;
    },
    refuse(kind, column, why) {
      const place = { file, line, column: names[column] as string };
      const text = shown(row.text(column));
      if (text === '') problems.refuse('missing value', place, 'there is no value');
      else problems.refuse(kind, place, why(text));
    },
  };
  return row;
}

function isInRange(value: number, range: ValueRange): boolean {
  return value > 0 || (value === 0 && range !== 'positive') || (value < 0 && range === 'any');
}

function readHeader(
  file: string,
  required: readonly string[],
  names: readonly string[],
  bytes: Uint8Array,
  fields: Fields,
): Int32Array {
  const found = Array.from(
    { length: Math.max(0, Math.min(fields.count, fields.starts.length)) },
    (_, index) => fieldText(bytes, fields, index).toLowerCase(),
  );
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
    // zlib inflates on another thread, while this one reads the chunk before.
    if (path.endsWith('.gz')) await pipeline(input, createGunzip({ chunkSize: CHUNK }), consume);
    else await pipeline(input, consume);
  } catch (error) {
    if (error instanceof SourceError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code.startsWith('Z_'))
      throw new SourceError(`${file} is not a whole gzip file; copy it here again.`, { cause: error });
    throw new SourceError(
      `${file} cannot be read (${code || 'unknown reason'}); check the file and its permissions.`,
      {
        cause: error,
      },
    );
  }
}
