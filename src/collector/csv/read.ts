import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { shown } from '../printable.ts';
import { type ProblemKind, type Problems, SourceError } from '../problems.ts';
import { isSessionDay, NO_DAY, readDay } from './day.ts';
import { readDecimal } from './decimal.ts';
import { createRowReader, type Fields, fieldText } from './rows.ts';
import type { SymbolTable } from './symbol-table.ts';

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
  /** The index of the symbol; -1 if the table lacks it. */
  symbol(column: number, symbols: SymbolTable): number;
  /** As `day`, but rejects a day that is not a session, and returns NO_DAY for it. */
  session(column: number): number;
  /** As `decimal`, but rejects a value out of range, and returns NaN for it. */
  number(column: number, range: ValueRange): number;
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
  let places: number[] | null = null;
  let width = 0;
  let rows = 0;
  const { row, moveTo } = createRow(file, names, problems);
  const reader = createRowReader(file, (bytes, fields, line) => {
    if (places === null) {
      places = readHeader(file, table.columns, names, bytes, fields);
      width = fields.count;
      return;
    }
    rows += 1;
    if (fields.count === width) {
      moveTo(bytes, fields, line, places);
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

/** Nothing is allocated per row unless it is rejected. */
function createRow(file: string, names: readonly string[], problems: Problems) {
  let bytes: Uint8Array;
  let fields: Fields;
  let line = 0;
  let places: readonly number[];

  const start = (column: number) => fields.starts[places[column] as number] as number;
  const end = (column: number) => fields.ends[places[column] as number] as number;
  const row: TableRow = {
    get line() {
      return line;
    },
    hasValue(column) {
      if ((places[column] as number) < 0) return false;
      const length = end(column) - start(column);
      return length > 1 || (length === 1 && bytes[start(column)] !== DOT);
    },
    text: (column) => fieldText(bytes, fields, places[column] as number),
    day: (column) => readDay(bytes, start(column), end(column)),
    decimal: (column) => readDecimal(bytes, start(column), end(column)),
    symbol: (column, symbols) => symbols.find(bytes, start(column), end(column)),
    session(column) {
      const day = row.day(column);
      if (isSessionDay(day)) return day;
      const why = day === NO_DAY ? 'a day written YYYY-MM-DD' : 'a session of the exchange';
      row.refuse('date', column, (text) => `'${text}' is not ${why}`);
      return NO_DAY;
    },
    number(column, range) {
      const value = row.decimal(column);
      const isTooLow = range !== 'any' && (value < 0 || (value === 0 && range === 'positive'));
      if (!isTooLow && !Number.isNaN(value)) return value;
      const why = Number.isNaN(value) ? 'not a number' : value < 0 ? 'negative' : 'zero';
      row.refuse(isTooLow ? 'price' : 'number', column, (text) => `'${text}' is ${why}`);
      return Number.NaN;
    },
    refuse(kind, column, why) {
      const place = { file, line, column: names[column] as string };
      const text = shown(row.text(column));
      if (text === '') problems.refuse('missing value', place, 'there is no value');
      else problems.refuse(kind, place, why(text));
    },
  };
  return {
    row,
    moveTo(itsBytes: Uint8Array, itsFields: Fields, itsLine: number, itsPlaces: readonly number[]) {
      bytes = itsBytes;
      fields = itsFields;
      line = itsLine;
      places = itsPlaces;
    },
  };
}

function readHeader(
  file: string,
  required: readonly string[],
  names: readonly string[],
  bytes: Uint8Array,
  fields: Fields,
): number[] {
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
  return names.map((column) => found.indexOf(column));
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
