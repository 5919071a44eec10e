import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { manifestFile, readManifestText, readTableFile, tableFile } from './export-folder.ts';
import { type Manifest, parseManifest, rowsIn, type TableEntry } from './manifest.ts';
import { MovingError } from './moving-error.ts';
import type { MovingOptions } from './options.ts';
import { countLines, createDigest, type Lines } from './table-rows.ts';

/** Lines are handed on in pieces of about this size (bytes). */
const PIECE = 1 << 20;
/** Longer than any row is. */
const LONGEST_LINE = 1 << 26;

const LINE_BREAK = 10;

/** An export that was looked through and found whole. */
export interface Export {
  readonly folder: string;
  readonly manifest: Manifest;
}

const damaged = (path: string, cause?: unknown) =>
  new MovingError(`${path} is damaged: export again, or take another copy.`, { cause });

async function* unpacked(folder: string, name: string): AsyncGenerator<Buffer> {
  // What goes wrong with the file reaches whoever reads through the last stream.
  const stream = pipeline(readTableFile(folder, name), createGunzip(), () => undefined);
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw damaged(tableFile(folder, name), error);
  }
}

/** The rows of a table of an export in whole lines, without the first `skip`. Throws MovingError for a damaged file. */
export async function* linesOf(folder: string, name: string, skip = 0): AsyncGenerator<Lines> {
  let parts: Buffer[] = [];
  let size = 0;
  let left = skip;
  for await (const chunk of unpacked(folder, name)) {
    parts.push(chunk);
    size += chunk.length;
    if (size > LONGEST_LINE) throw damaged(tableFile(folder, name));
    // A line without an end is put together once, not once a chunk.
    if (size < PIECE || !chunk.includes(LINE_BREAK)) continue;
    const all = Buffer.concat(parts);
    const end = all.lastIndexOf(LINE_BREAK) + 1;
    parts = [all.subarray(end)];
    size = all.length - end;
    const lines = withoutFirst(all.subarray(0, end), left);
    left -= lines.skipped;
    if (lines.rows > 0) yield lines;
  }
  const lines = withoutFirst(Buffer.concat(parts), left);
  if (lines.bytes.length > 0) yield lines;
}

/** Lines without the first `skip`, and how many of these there were. */
function withoutFirst(bytes: Buffer, skip: number): Lines & { readonly skipped: number } {
  let start = 0;
  let skipped = 0;
  for (; skipped < skip && start < bytes.length; skipped += 1) start = bytes.indexOf(LINE_BREAK, start) + 1;
  const rest = bytes.subarray(start);
  return { bytes: rest, rows: countLines(rest), skipped };
}

async function checkTable(folder: string, entry: TableEntry, tell: (rows: number) => void): Promise<void> {
  const digest = createDigest();
  for await (const lines of linesOf(folder, entry.name)) {
    digest.add(lines);
    tell(lines.rows);
  }
  const { rows, sha256 } = digest.end();
  if (rows !== entry.rows || sha256 !== entry.sha256) throw damaged(tableFile(folder, entry.name));
}

/** Throws MovingError where a file of an export is missing or not what its manifest says. */
export async function checkFiles({ folder, manifest }: Export, { report, signal }: MovingOptions) {
  const total = rowsIn(manifest);
  let done = 0;
  report({ stage: 'checking', done, total });
  for (const entry of manifest.tables) {
    await checkTable(folder, entry, (rows) => {
      signal?.throwIfAborted();
      done += rows;
      report({ stage: 'checking', done, total });
    });
  }
}

/** Reads an export through. Throws MovingError where it is none, not finished, damaged, or a newer program's. */
export async function readExport(folder: string, options: MovingOptions): Promise<Export> {
  const text = await readManifestText(folder).catch((error: unknown) => {
    throw new MovingError(`The folder ${folder} cannot be read: name one that holds an export.`, {
      cause: error,
    });
  });
  if (text === null) {
    throw new MovingError(`${folder} holds no finished export: export again, or name another folder.`);
  }
  const found: Export = { folder, manifest: parseManifest(text, manifestFile(folder)) };
  await checkFiles(found, options);
  return found;
}
