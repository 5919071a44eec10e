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

/** The Postgres that PGlite 0.5 is; a folder belongs to one major version. */
const POSTGRES_VERSION = '18';

/** True if there is a database to open. Throws `DatabaseUnavailable` if something else is there. */
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
    `The database in ${folder} was made by Postgres ${version || 'of no version'}, and this Barometer runs ${POSTGRES_VERSION}: use the Barometer that made it, or move it away and start again.`,
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

/** Takes away the rights of other users, which earlier versions left on files. */
function makePrivate(path: string): void {
  const status = statSync(path);
  if ((status.mode & 0o077) !== 0) chmodSync(path, status.mode & 0o700);
  if (!status.isDirectory()) return;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory() || entry.isFile()) makePrivate(join(path, entry.name));
  }
}

/**
 * Creates the database if there is none: under another name, then renamed, so that an incomplete one is never opened. The
 * caller holds the lock. Throws `DatabaseUnavailable`.
 */
export async function ensureFolder(folder: string, workerUrl: URL): Promise<void> {
  try {
    if (holdsDatabase(folder)) {
      makePrivate(folder);
      return;
    }
    const beside = `${folder}.new`;
    await rm(beside, { recursive: true, force: true });
    await mkdir(beside, { recursive: true, mode: 0o700 });
    await createInWorker(workerUrl, beside, folder);
    syncTree(beside);
    await rename(beside, folder);
    sync(dirname(folder));
  } catch (error) {
    throw error instanceof DatabaseUnavailable ? error : unavailableFrom(error as Error, folder);
  }
}
