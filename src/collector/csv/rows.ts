import { SourceError } from '../problems.ts';

const COMMA = 44;
const LF = 10;
const CR = 13;
const QUOTE = 34;
const MOST_FIELDS = 64;
/** Maximum length of a line in bytes, with its line break. */
export const LONGEST_LINE = 65_536;

/** Positions of the current row's fields in the bytes, without quotes and line end. */
export interface Fields {
  /** Number of fields; -1 if a quote is not closed on its line. */
  count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** The line in the bytes, with its line break. */
  lineStart: number;
  lineEnd: number;
}

/** Called for each line that is not blank; `fields` is reused from row to row. `line` counts from 1. */
type OnRow = (bytes: Uint8Array, fields: Fields, line: number) => void;

/**
 * Splits CSV into rows and fields without creating strings: LF or CRLF, a byte order mark, quoted fields on one line.
 * Throws SourceError for a line of more than `LONGEST_LINE` bytes.
 */
export function createRowReader(file: string, onRow: OnRow) {
  const fields: Fields = {
    count: 0,
    starts: new Int32Array(MOST_FIELDS),
    ends: new Int32Array(MOST_FIELDS),
    lineStart: 0,
    lineEnd: 0,
  };
  let rest: Buffer = Buffer.alloc(0);
  let line = 0;

  function checkLength(length: number, at: number): void {
    if (length <= LONGEST_LINE) return;
    throw new SourceError(
      `${file}, line ${at} is longer than ${LONGEST_LINE / 1024} KiB. Check that each row ends with a line break.`,
    );
  }

  function readLines(bytes: Uint8Array, from: number, to: number): void {
    let at = line === 0 ? from + markLength(bytes, from) : from;
    while (at < to) {
      line += 1;
      const start = at;
      at = splitLine(bytes, start, fields);
      checkLength(at - start, line);
      const blank = fields.count === 1 && fields.starts[0] === fields.ends[0];
      if (!blank) onRow(bytes, fields, line);
    }
  }

  function keepRest(bytes: Buffer): void {
    checkLength(bytes.length, line + 1);
    rest = bytes;
  }

  return {
    feed(chunk: Uint8Array) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      const firstEnd = bytes.indexOf(LF) + 1;
      if (firstEnd === 0) return keepRest(Buffer.concat([rest, bytes]));
      // Copies only a line that spans two chunks.
      const from = rest.length > 0 ? firstEnd : 0;
      if (from > 0) {
        const cut = Buffer.concat([rest, bytes.subarray(0, firstEnd)]);
        readLines(cut, 0, cut.length);
      }
      const end = bytes.lastIndexOf(LF) + 1;
      readLines(bytes, from, end);
      keepRest(Buffer.from(bytes.subarray(end)));
    },
    /** Reads the last line if no line end follows it. Call it once, after all bytes. */
    end() {
      if (rest.length === 0) return;
      const bytes = Buffer.concat([rest, Buffer.of(LF)]);
      readLines(bytes, 0, bytes.length);
    },
  };
}

/** The trimmed text of one field, with each doubled quote as a single one. */
export function fieldText(bytes: Uint8Array, fields: Fields, index: number): string {
  const start = fields.starts[index] as number;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, (fields.ends[index] as number) - start)
    .toString('utf8')
    .trim();
  return text.includes('""') ? text.replaceAll('""', '"') : text;
}

/** The names of the columns in a header, in lower case. */
export const columnNames = (bytes: Uint8Array, fields: Fields): string[] =>
  Array.from({ length: Math.max(0, Math.min(fields.count, MOST_FIELDS)) }, (_, index) =>
    fieldText(bytes, fields, index).toLowerCase(),
  );

/** Finds the fields of the line at `at`, which ends in LF. Returns the start of the next line. */
function splitLine(bytes: Uint8Array, at: number, fields: Fields): number {
  const { starts, ends } = fields;
  let count = 0;
  let position = at;
  let broken = false;
  let byte = 0;
  while (byte !== LF) {
    let start = position;
    let end = -1;
    byte = bytes[position] as number;
    if (byte === QUOTE) {
      end = closingQuote(bytes, position + 1);
      if (end < 0) broken = true;
      else position = end + 1;
      start += 1;
      byte = bytes[position] as number;
    }
    while (byte !== COMMA && byte !== LF) {
      position += 1;
      byte = bytes[position] as number;
    }
    const last = byte === LF && position > at && bytes[position - 1] === CR ? position - 1 : position;
    if (end < 0) end = last;
    else if (end + 1 !== last) broken = true;
    if (count < MOST_FIELDS) {
      starts[count] = start;
      ends[count] = end;
    }
    count += 1;
    position += 1;
  }
  fields.count = broken ? -1 : count;
  fields.lineStart = at;
  fields.lineEnd = position;
  return position;
}

function closingQuote(bytes: Uint8Array, from: number): number {
  for (let at = from; bytes[at] !== LF; at += 1) {
    if (bytes[at] !== QUOTE) continue;
    if (bytes[at + 1] !== QUOTE) return at;
    at += 1;
  }
  return -1;
}

/** Length of the byte order mark at a position; 0 without a mark. */
function markLength(bytes: Uint8Array, at: number): number {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf ? 3 : 0;
}
