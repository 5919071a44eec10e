import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { shown } from '../printable.ts';
import { type Problems, SourceError } from '../problems.ts';
import { createRowReader, type Fields, fieldText } from './rows.ts';

const CHUNK = 1 << 18;

/** What reads the rows of one file: its columns in the order asked for stand at `at` in the fields. */
export interface TableReader {
  /** The columns there have to be. */
  readonly columns: readonly string[];
  /** Columns there may be; -1 in `at` where there is none. */
  readonly optional?: readonly string[];
  onRow(bytes: Uint8Array, fields: Fields, line: number, at: readonly number[]): void;
}

/**
 * Streams a CSV file (or a gzipped one) into `table`. A header without its columns, a file without a row and
 * one that cannot be read throw SourceError; a row with another number of fields is refused.
 */
export async function readTable(path: string, table: TableReader, problems: Problems): Promise<void> {
  const file = basename(path);
  const wanted = [...table.columns, ...(table.optional ?? [])];
  let at: number[] | null = null;
  let width = 0;
  let rows = 0;
  const reader = createRowReader(file, (bytes, fields, line) => {
    if (at === null) {
      at = readHeader(file, table.columns, wanted, bytes, fields);
      width = fields.count;
      return;
    }
    rows += 1;
    if (fields.count === width) table.onRow(bytes, fields, line, at);
    else if (fields.count < 0) problems.refuse('quote', { file, line }, 'a quote is not closed on its line');
    else problems.refuse('columns', { file, line }, `${fields.count} fields where the header has ${width}`);
  });
  await streamInto(path, file, reader.feed);
  reader.end();
  if (rows === 0)
    throw new SourceError(`${file} has no rows below its header; put data into it or remove it.`);
}

function readHeader(
  file: string,
  required: readonly string[],
  wanted: readonly string[],
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
  return wanted.map((column) => found.indexOf(column));
}

async function streamInto(path: string, file: string, feed: (chunk: Uint8Array) => void): Promise<void> {
  const input = createReadStream(path, { highWaterMark: CHUNK });
  const consume = async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) feed(chunk);
  };
  try {
    // Inflating happens on another thread, so that the next chunk is made while this one is read.
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
