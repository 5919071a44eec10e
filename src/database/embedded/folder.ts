import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseUnavailable } from '../unavailable.ts';
import { notADatabase, unavailableFrom } from './failures.ts';
import { createInWorker } from './session.ts';
import { syncFile, syncFolder } from './sync-to-disk.ts';

/** Major version of Postgres in PGlite 0.5. PGlite cannot open a database of another version. */
const POSTGRES_VERSION = '18';

/**
 * True if the folder contains a database; false if it is empty or missing. Throws `DatabaseUnavailable` if it contains
 * anything else.
 */
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
    `The database in ${folder} was made by Postgres ${version || 'of an unknown version'}, but this Barometer runs ${POSTGRES_VERSION}. Use the version of Barometer that made the database, or move the folder away and start again.`,
  );
}

function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else syncFile(path);
  }
  syncFolder(folder);
}

/** Removes other users' rights to the files, because earlier versions created files with such rights. */
function makePrivate(path: string): void {
  const status = statSync(path);
  if ((status.mode & 0o077) !== 0) chmodSync(path, status.mode & 0o700);
  if (!status.isDirectory()) return;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory() || entry.isFile()) makePrivate(join(path, entry.name));
  }
}

/**
 * Creates the database if there is none, under a temporary name until it is complete, so that an incomplete database is
 * never opened. The caller must hold the lock. Throws `DatabaseUnavailable`.
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
    syncFolder(dirname(folder));
  } catch (error) {
    throw error instanceof DatabaseUnavailable ? error : unavailableFrom(error as Error, folder);
  }
}
