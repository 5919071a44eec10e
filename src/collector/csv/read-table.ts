import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { parseDay } from '#domain/calendar/days.ts';
import { isSession } from '#domain/calendar/sessions.ts';
import { LARGEST_COUNT } from '#domain/market-history.ts';
import { type ProblemKind, type Problems, SourceError, shown } from '../problems.ts';

const CHUNK = 1 << 18;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
/** A file fails if more than this share of its rows is refused, and more rows than `few`. */
const MAY_REFUSE = { share: 0.1, few: 20 };

/** The allowed values of a column. A count is a whole number from 0 to LARGEST_COUNT. */
export type ValueRange = 'positive' | 'not negative' | 'count' | 'any';

export interface TableReader {
  readonly columns: readonly string[];
  /** Columns that the file may lack. They count after `columns`. */
  readonly optional?: readonly string[];
  onRow(row: TableRow): void;
}

/** Streams a CSV file, gzipped or not, into `table`. Throws SourceError, also for too many refused rows. */
export async function readTable(path: string, table: TableReader, problems: Problems): Promise<void> {
  const file = basename(path);
  const names = [...table.columns, ...(table.optional ?? [])];
  let row: TableRow | null = null;
  let width = 0;
  let rows = 0;
  let refused = 0;
  const reader = createRowReader(file, (cells, line) => {
    if (row === null) {
      row = createRow(file, names, readHeader(file, table.columns, names, cells ?? []), problems);
      width = cells?.length ?? 0;
      return;
    }
    rows += 1;
    const before = problems.refused;
    if (cells === null) problems.refuse('quote', { file, line }, 'a quote is not closed on its line');
    else if (cells.length !== width)
      problems.refuse('columns', { file, line }, `${cells.length} fields where the header has ${width}`);
    else {
      row.moveTo(cells, line);
      table.onRow(row);
    }
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

/** The object through which all rows are read. The cell of the column `names[n]` is at `places[n]`; -1 for none. */
function createRow(file: string, names: readonly string[], places: readonly number[], problems: Problems) {
  let cells: readonly string[] = [];
  let line = 0;

  const text = (column: number) => cells[places[column] ?? -1] ?? '';
  const decimal = (column: number) => readDecimal(text(column));
  const day = (column: number) => readDay(text(column));

  /** Rejects the row with the reason that `why` returns for the printable text. An empty field is a missing value. */
  function refuse(kind: ProblemKind, column: number, why: (text: string) => string): void {
    const place = { file, line, column: names[column] as string };
    const quoted = shown(text(column));
    if (quoted === '') problems.refuse('missing value', place, 'there is no value');
    else problems.refuse(kind, place, why(quoted));
  }

  return {
    moveTo(itsCells: readonly string[], itsLine: number): void {
      cells = itsCells;
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
    hasValue: (column: number) => text(column) !== '' && text(column) !== '.',

    /** Returns the day of a column. If it is not a session, rejects the row and returns NaN. */
    session(column: number): number {
      const session = day(column);
      if (isSessionDay(text(column))) return session;
      const why = Number.isNaN(session) ? 'a day written YYYY-MM-DD' : 'a session of the exchange';
      refuse('date', column, (quoted) => `'${quoted}' is not ${why}`);
      return Number.NaN;
    },

    /** Returns the number of a column. If it is out of range, rejects the row and returns NaN. */
    number(column: number, range: ValueRange): number {
      const value = decimal(column);
      if (isInRange(value, range)) return value;
      const why = refusalOf(value, range);
      refuse(Number.isNaN(value) ? 'number' : 'price', column, (quoted) => `'${quoted}' is ${why}`);
      return Number.NaN;
    },
  };
}

/** Known days by their text, because a million rows contain only a thousand different days. */
const DAYS = new Map<string, { readonly day: number; readonly isSession: boolean }>();

function knownDay(text: string) {
  const known = DAYS.get(text);
  if (known !== undefined) return known;
  const day = /^(19|20)/.test(text) ? parseDay(text) : Number.NaN;
  const found = { day, isSession: !Number.isNaN(day) && isSession(text) };
  if (!Number.isNaN(day)) DAYS.set(text, found);
  return found;
}

/** The day of 1900 to 2099 written `YYYY-MM-DD`, in days since 1970-01-01; NaN for any other text. */
export const readDay = (text: string): number => knownDay(text).day;

export const isSessionDay = (text: string): boolean => knownDay(text).isSession;

/** The number written in a text; NaN if it is not a number. */
export function readDecimal(text: string): number {
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : Number.NaN;
}

function isInRange(value: number, range: ValueRange): boolean {
  if (range === 'count') return Number.isInteger(value) && value >= 0 && value <= LARGEST_COUNT;
  return value > 0 || (value === 0 && range !== 'positive') || (value < 0 && range === 'any');
}

function refusalOf(value: number, range: ValueRange): string {
  if (Number.isNaN(value)) return 'not a number';
  if (value < 0) return 'negative';
  return range === 'count' ? `not a whole number up to ${LARGEST_COUNT}` : 'zero';
}

/** Returns the position of each column of `names`; -1 for one that the file lacks. */
function readHeader(
  file: string,
  required: readonly string[],
  names: readonly string[],
  cells: readonly string[],
): number[] {
  const found = cells.map((cell) => cell.toLowerCase());
  const missing = required.find((column) => !found.includes(column));
  if (missing !== undefined) {
    throw new SourceError(
      `${file}, line 1: the header must have the columns ${required.join(',')}; column ${missing} is not in '${shown(found.join(','), 80)}'.`,
    );
  }
  return names.map((name) => found.indexOf(name));
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
      { cause: error },
    );
  }
}

/** Maximum length of a line with its line break (characters). */
export const LONGEST_LINE = 65_536;

/** Called for each line that is not blank, counted from 1. `cells` is null if a quote is not closed on its line. */
type OnRow = (cells: readonly string[] | null, line: number, text: string) => void;

/** Splits CSV in UTF-8 into rows of trimmed cells, quoted cells on one line. Throws SourceError for a long line. */
export function createRowReader(file: string, onRow: OnRow) {
  const decoder = new TextDecoder();
  let rest = '';
  let line = 0;

  function checkLength(text: string, at: number): void {
    if (text.length < LONGEST_LINE) return;
    throw new SourceError(
      `${file}, line ${at} is longer than ${LONGEST_LINE / 1024} KiB. Check that each row ends with a line break.`,
    );
  }

  function readLine(text: string): void {
    line += 1;
    checkLength(text, line);
    const cells = cellsOf(text.endsWith('\r') ? text.slice(0, -1) : text);
    if (cells === null || cells.length > 1 || cells[0] !== '') onRow(cells, line, text);
  }

  return {
    feed(chunk: Uint8Array) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) readLine(text);
      checkLength(rest, line + 1);
    },
    /** Reads the last line if no line end follows it. Call it once, after all bytes. */
    end() {
      rest += decoder.decode();
      if (rest !== '') readLine(rest);
    },
  };
}

/** A cell with the comma after it. It has quotes around it, with doubled quotes inside, or no quote at its start. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",][^,]*)?)(?:,|$)/y;

function cellsOf(line: string): string[] | null {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  const cells: string[] = [];
  CELL.lastIndex = 0;
  for (let hasMore = true; hasMore; ) {
    const [cell, quoted, plain = ''] = CELL.exec(line) ?? [];
    if (cell === undefined) return null;
    cells.push((quoted ?? plain).replaceAll('""', '"').trim());
    hasMore = cell.endsWith(',');
  }
  return cells;
}
