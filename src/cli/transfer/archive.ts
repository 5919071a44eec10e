import { createReadStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { pipeline as finished } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { syncFolder } from '#database/embedded/folders.ts';

export interface TransferOptions {
  /** Receives the number of rows that were transferred, and the number of all rows. */
  readonly report: (progress: { stage: string; done: number; total: number }) => void;
  readonly signal?: AbortSignal | undefined;
}

/** A table of an archive: its name, columns and number of rows. */
export interface TableEntry {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** The id of the table's next row; null without an identity column. */
  readonly nextId: number | null;
}

/** The first line of an archive. It has no time or host, so equal data give equal archives. */
export interface Header {
  readonly migration: string;
  readonly tables: readonly TableEntry[];
}

/** Whole lines of `copy`'s text format, one for each row. */
export interface Lines {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

const FORMAT = 2;
const LINE_BREAK = 10;
/** Maximum length of a row (bytes). */
const LONGEST_LINE = 1 << 26;

export const rowsIn = ({ tables }: Header): number => tables.reduce((sum, { rows }) => sum + rows, 0);

/** Returns the sentence for an error of the file system; null for any other error. */
function fileFault(error: unknown, sentenceOf: (code: string) => string): Error | null {
  if (!(error instanceof Error) || !('syscall' in error)) return null;
  return new Error(sentenceOf(String((error as NodeJS.ErrnoException).code)), { cause: error });
}

function writeSentence(path: string, code: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return `The disk that holds ${path} is full. Free some space and export again.`;
  return code === 'EEXIST'
    ? `${path}.partial exists, because another export is writing it or was killed. If no other export runs, remove the file and export again.`
    : `${path} cannot be written (${code}). Name a file in an existing folder that this user can write.`;
}

/** Writes an archive. The file gets its name when it is complete and flushed to the disk. */
export async function writeArchive(
  path: string,
  header: Header,
  rows: AsyncIterable<Uint8Array>,
): Promise<void> {
  if (existsSync(path)) throw new Error(`${path} exists already. Name another file.`);
  const partial = `${path}.partial`;
  async function* content(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${JSON.stringify({ format: FORMAT, ...header })}\n`);
    yield* rows;
  }
  try {
    // Never opens an existing file, which may belong to another export or be a link to another folder.
    const file = await open(partial, 'wx', 0o600);
    try {
      const source = Readable.from(content(), { objectMode: false });
      await finished(source, createGzip(), file.createWriteStream({ flush: true }));
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    syncFolder(dirname(path));
  } catch (error) {
    throw fileFault(error, (code) => writeSentence(path, code)) ?? error;
  }
}

const damaged = (path: string, cause?: unknown) =>
  new Error(`${path} is damaged or not an export. Export again, or use another copy.`, { cause });

/** Yields the decompressed file in pieces of whole lines. */
async function* unpacked(path: string): AsyncGenerator<Buffer> {
  // The empty callback handles an error of the file. The loop below throws the same error.
  const stream = pipeline(createReadStream(path), createGunzip({ chunkSize: 1 << 20 }), () => undefined);
  /** Start of a line whose end has not arrived. */
  let begun = Buffer.alloc(0);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const bytes = Buffer.concat([begun, chunk]);
      const end = bytes.lastIndexOf(LINE_BREAK) + 1;
      if (end > 0) yield bytes.subarray(0, end);
      begun = bytes.subarray(end);
      if (begun.length > LONGEST_LINE) throw damaged(path);
    }
  } catch (error) {
    const sentenceOf = (code: string) => `${path} cannot be read (${code}). Name a file that "export" wrote.`;
    throw fileFault(error, sentenceOf) ?? damaged(path, error);
  }
  if (begun.length > 0) throw damaged(path);
}

/** Returns the first lines in `bytes`, at most `most` lines. */
export function linesOf(bytes: Uint8Array, most = Number.POSITIVE_INFINITY): Lines {
  let end = 0;
  let rows = 0;
  for (; rows < most; rows += 1) {
    const at = bytes.indexOf(LINE_BREAK, end);
    if (at < 0) break;
    end = at + 1;
  }
  return { bytes: bytes.subarray(0, end), rows };
}

/** Checks only the form that the caller relies on: the checksum shows damage. */
function parseHeader(line: string, path: string): Header {
  let fields: { format?: unknown; migration?: unknown; tables?: unknown };
  try {
    fields = { ...JSON.parse(line) };
  } catch (error) {
    throw damaged(path, error);
  }
  const { format, migration, tables } = fields;
  if (Number(format) > FORMAT)
    throw new Error(`${path} was written by a newer Barometer. Update this Barometer and import again.`);
  const isKnown = format === FORMAT && typeof migration === 'string' && /^\d{14}$/.test(migration);
  const hasTables = Array.isArray(tables) && tables.every((entry) => Array.isArray(entry?.columns));
  if (!isKnown || !hasTables) throw damaged(path);
  return { migration, tables };
}

export interface Piece extends Lines {
  readonly table: TableEntry;
}

/** Opens an archive, whose pieces are its rows by table, a few MB each. Throws at a damage, also in `pieces`. */
export async function openArchive(path: string): Promise<{ header: Header; pieces: AsyncGenerator<Piece> }> {
  const chunks = unpacked(path);
  let chunk: Uint8Array = Buffer.alloc(0);
  /** Returns the next lines, at most `most`; no lines at the end of the file. */
  const take = async (most: number): Promise<Lines> => {
    if (chunk.length === 0) chunk = (await chunks.next()).value ?? chunk;
    const lines = linesOf(chunk, most);
    chunk = chunk.subarray(lines.bytes.length);
    return lines;
  };
  const header = parseHeader(Buffer.from((await take(1)).bytes).toString(), path);
  async function* pieces(): AsyncGenerator<Piece> {
    try {
      for (const table of header.tables) {
        for (let left = table.rows; left > 0; ) {
          const lines = await take(left);
          if (lines.rows === 0) throw damaged(path);
          left -= lines.rows;
          yield { table, ...lines };
        }
      }
      if ((await take(1)).rows > 0) throw damaged(path);
    } finally {
      await chunks.return(undefined);
    }
  }
  return { header, pieces: pieces() };
}

/** Returns a function that reports rows as done. It throws if the transfer is to stop. */
export function createRowCounter(stage: string, header: Header, { report, signal }: TransferOptions) {
  const total = rowsIn(header);
  let done = 0;
  report({ stage, done, total });
  return (rows: number): void => {
    if (signal?.aborted) {
      throw new Error('The command was stopped and changed no data. Run it again.', {
        cause: signal.reason,
      });
    }
    done += rows;
    report({ stage, done, total });
  };
}

/** Reads a whole archive. Throws unless it is complete and undamaged. */
export async function checkArchive(path: string, options: TransferOptions): Promise<void> {
  const { header, pieces } = await openArchive(path);
  const advance = createRowCounter('checking', header, options);
  for await (const { rows } of pieces) advance(rows);
}
