import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { pipeline as finished } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { syncFolder } from '../embedded/sync-to-disk.ts';

/** A transfer was refused or has failed. The message is one sentence. */
export class TransferError extends Error {
  override name = 'TransferError';
}

export interface TransferOptions {
  /** Receives the number of rows that were transferred, and the number of all rows. */
  readonly report: (progress: { stage: string; done: number; total: number }) => void;
  /** Stops the transfer. */
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
  /** The newest migration of the database. */
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

const headerLine = ({ migration, tables }: Header): string => {
  const entries = tables.map(({ name, columns, rows, nextId }) => ({ name, columns, rows, nextId }));
  return `${JSON.stringify({ format: FORMAT, migration, tables: entries })}\n`;
};
const checksumLine = (sha256: string): string => `${JSON.stringify({ sha256 })}\n`;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** Converts an error of the file system to a `TransferError`. Returns any other error unchanged. */
function writeError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error;
  const code = codeOf(error);
  const sentence =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? `The disk that holds ${path} is full. Free some space and export again.`
      : code === 'EEXIST'
        ? `${path}.partial exists, because another export is writing it or was killed. If no other export runs, remove the file and export again.`
        : `${path} cannot be written (${code}). Name a file in an existing folder that this user can write.`;
  return new TransferError(sentence, { cause: error });
}

/**
 * Writes an archive: gzip of the header, the rows of each table, and the SHA-256 of all lines before. The file gets its
 * name only when it is complete and flushed to the disk. Throws TransferError if the file exists or cannot be written.
 */
export async function writeArchive(path: string, header: Header, rows: AsyncIterable<Lines>): Promise<void> {
  if (existsSync(path)) throw new TransferError(`${path} exists already. Name another file.`);
  const partial = `${path}.partial`;
  const hash = createHash('sha256');
  async function* content(): AsyncGenerator<Uint8Array> {
    const first = Buffer.from(headerLine(header));
    hash.update(first);
    yield first;
    for await (const { bytes } of rows) {
      hash.update(bytes);
      yield bytes;
    }
    yield Buffer.from(checksumLine(hash.digest('hex')));
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
    throw writeError(error, path);
  }
}

const damaged = (path: string, cause?: unknown) =>
  new TransferError(`${path} is damaged or not an export. Export again, or use another copy.`, { cause });

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
    if (!(error instanceof Error) || !('syscall' in error)) throw damaged(path, error);
    const sentence = `${path} cannot be read (${codeOf(error)}). Name a file that "export" wrote.`;
    throw new TransferError(sentence, { cause: error });
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

function openReader(path: string) {
  const pieces = unpacked(path);
  const hash = createHash('sha256');
  let piece: Uint8Array = Buffer.alloc(0);
  return {
    /** Returns the next lines, at least one and at most `most`; null at the end of the file. */
    async take(most: number): Promise<Lines | null> {
      if (piece.length === 0) {
        const next = await pieces.next();
        if (next.done) return null;
        piece = next.value;
      }
      const lines = linesOf(piece, most);
      hash.update(lines.bytes);
      piece = piece.subarray(lines.bytes.length);
      return lines;
    },
    /** SHA-256 of all lines taken so far. */
    digest: () => hash.copy().digest('hex'),
    close: () => pieces.return(undefined),
  };
}

const textOf = (lines: Lines | null): string => (lines === null ? '' : Buffer.from(lines.bytes).toString());

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
    throw new TransferError(
      `${path} was written by a newer Barometer. Update this Barometer and import again.`,
    );
  const isKnown = format === FORMAT && typeof migration === 'string' && /^\d{14}$/.test(migration);
  const hasTables = Array.isArray(tables) && tables.every((entry) => Array.isArray(entry?.columns));
  if (!isKnown || !hasTables) throw damaged(path);
  return { migration, tables };
}

/**
 * Yields the rows of an archive, table by table, in pieces of a few MB. Throws TransferError if the file cannot be
 * read, or at its end if its checksum is wrong.
 */
export async function* readArchive(
  path: string,
  header: Header,
): AsyncGenerator<Lines & { readonly table: TableEntry }> {
  const reader = openReader(path);
  try {
    if (textOf(await reader.take(1)) !== headerLine(header)) throw damaged(path);
    for (const table of header.tables) {
      for (let left = table.rows; left > 0; ) {
        const lines = await reader.take(left);
        if (lines === null) throw damaged(path);
        left -= lines.rows;
        yield { table, ...lines };
      }
    }
    const expected = checksumLine(reader.digest());
    if (textOf(await reader.take(1)) !== expected || (await reader.take(1)) !== null) throw damaged(path);
  } finally {
    await reader.close();
  }
}

/** Returns a function that reports rows as done. It throws TransferError if the transfer is to stop. */
export function startProgress(stage: string, header: Header, { report, signal }: TransferOptions) {
  const total = rowsIn(header);
  let done = 0;
  report({ stage, done, total });
  return (rows: number): void => {
    if (signal?.aborted) {
      throw new TransferError('The command was stopped and changed no data. Run it again.', {
        cause: signal.reason,
      });
    }
    done += rows;
    report({ stage, done, total });
  };
}

/** Reads a whole archive and returns its header. Throws TransferError unless it is complete and undamaged. */
export async function checkArchive(path: string, options: TransferOptions): Promise<Header> {
  const reader = openReader(path);
  const first = await reader.take(1).finally(reader.close);
  const header = parseHeader(textOf(first), path);
  const advance = startProgress('checking', header, options);
  for await (const { rows } of readArchive(path, header)) advance(rows);
  return header;
}
