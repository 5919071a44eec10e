import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseUnavailable } from '../unavailable.ts';
import { notADatabase, unavailableFrom } from './failures.ts';
import { createInWorker } from './session.ts';

/** Major version of Postgres in PGlite 0.5, the only one whose folders it opens. */
const POSTGRES_VERSION = '18';

/** True if there is a database, false for an empty or missing folder. Throws `DatabaseUnavailable` for anything else. */
function holdsDatabase(folder: string): boolean {
  if (!existsSync(folder)) return false;
  if (!statSync(folder).isDirectory()) throw notADatabase(folder);
  if (readdirSync(folder).length === 0) return false;
  const versionFile = join(folder, 'PG_VERSION');
  if (!existsSync(versionFile)) throw notADatabase(folder);
  const version = readFileSync(versionFile, 'utf8').trim();
  if (version === POSTGRES_VERSION) return true;
  throw new DatabaseUnavailable(
    'damaged',
    `The database in ${folder} was made by Postgres ${version || 'of an unknown version'}, and this Barometer runs ${POSTGRES_VERSION}: use the Barometer that made it, or move it away and start again.`,
  );
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else sync(path);
  }
  sync(folder);
}

/** Removes the rights of other users, which earlier versions left on files. */
function makePrivate(path: string): void {
  const status = statSync(path);
  if ((status.mode & 0o077) !== 0) chmodSync(path, status.mode & 0o700);
  if (!status.isDirectory()) return;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory() || entry.isFile()) makePrivate(join(path, entry.name));
  }
}

/**
 * Creates the database if there is none. It gets its name once it is complete, so that an incomplete one is never opened.
 * The caller must hold the lock. Throws `DatabaseUnavailable`.
 */
export async function ensureFolder(folder: string, workerUrl: URL): Promise<void> {
  try {
    if (holdsDatabase(folder)) {
      makePrivate(folder);
      return;
    }
    const incomplete = `${folder}.new`;
    await rm(incomplete, { recursive: true, force: true });
    await mkdir(incomplete, { recursive: true, mode: 0o700 });
    await createInWorker(workerUrl, incomplete, folder);
    syncTree(incomplete);
    await rename(incomplete, folder);
    sync(dirname(folder));
  } catch (error) {
    throw error instanceof DatabaseUnavailable ? error : unavailableFrom(error as Error, folder);
  }
}
