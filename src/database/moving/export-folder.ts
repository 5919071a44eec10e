import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { makeFolder } from '../embedded/make-folder.ts';
import { MovingError } from './moving-error.ts';
import { MOVED_TABLES } from './tables.ts';

const MANIFEST = 'manifest.json';
/** What a file is called until all of it is on the disk. */
const PARTIAL = '.partial';

const fileOf = (table: string): string => `${table}.copy.gz`;

/** Where an export's rows of a table are. */
export const tableFile = (folder: string, table: string): string => join(folder, fileOf(table));
export const manifestFile = (folder: string): string => join(folder, MANIFEST);

const OURS = new Set([MANIFEST, ...MOVED_TABLES.map(({ name }) => fileOf(name))]);

/** The text of a finished export's manifest; null where there is none. */
export async function readManifestText(folder: string): Promise<string | null> {
  try {
    return await readFile(manifestFile(folder), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Makes a folder ready to be exported into: there, its user's alone, and without what an interrupted export left half
 * written. Throws MovingError where anything else is in it.
 */
export async function prepareFolder(folder: string): Promise<void> {
  makeFolder(folder);
  const names = await readdir(folder);
  const other = names.find((name) => !OURS.has(basename(name, PARTIAL)));
  if (other !== undefined) {
    throw new MovingError(`The folder ${folder} holds other files (${other}): name a new one.`);
  }
  await chmod(folder, 0o700);
  for (const name of names.filter((each) => each.endsWith(PARTIAL))) await rm(join(folder, name));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file beside its place and puts it there once it is on the disk. */
async function put(path: string, content: AsyncIterable<Uint8Array>, isPacked: boolean): Promise<void> {
  const draft = `${path}${PARTIAL}`;
  // Never into one that is there: it would be another export's at work, or lead elsewhere.
  const file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
  const source = Readable.from(content, { objectMode: false });
  await (isPacked ? pipeline(source, createGzip(), file) : pipeline(source, file));
  await rename(draft, path);
}

/** Writes the rows of a table, packed. */
export function putTable(folder: string, table: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  return put(tableFile(folder, table), bytes, true);
}

/** Writes the manifest, which makes an export a finished one. */
export async function putManifest(folder: string, text: string): Promise<void> {
  // The names of the tables' files first, so that no power cut leaves a manifest without them.
  await syncFolder(folder);
  await put(manifestFile(folder), Readable.from([Buffer.from(text)]), false);
  await syncFolder(folder);
}

/** The bytes of a table's file as they lie there. */
export const readTableFile = (folder: string, table: string) => createReadStream(tableFile(folder, table));
