import { createHash, timingSafeEqual } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '#database/embedded/make-folder.ts';
import type { Database } from '#database/port.ts';

const FILE = 'public-key';
const PUBLIC_KEY = /^sb_publishable_[A-Za-z0-9_-]{32}$/;
const RANDOM_BYTES = 24;

async function readKey(path: string): Promise<string | null> {
  try {
    const key = (await readFile(path, 'utf8')).trim();
    return PUBLIC_KEY.test(key) ? key : null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Reads the public key of a data folder, or creates one. It is no secret: every page contains it. `random` returns random
 * bytes, like `crypto.randomBytes`. Throws if the folder cannot be created.
 */
export async function loadPublicKey(folder: string, random: (bytes: number) => Uint8Array): Promise<string> {
  const path = join(folder, FILE);
  const existing = await readKey(path);
  if (existing !== null) return existing;
  const key = `sb_publishable_${Buffer.from(random(RANDOM_BYTES)).toString('base64url')}`;
  try {
    makeFolder(folder);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Error(
      `The data folder ${folder} cannot be created (${code}). Set BAROMETER_DATA_DIR to another folder.`,
      { cause: error },
    );
  }
  // Renamed when complete, so that a killed process leaves no partial key.
  const draft = `${path}.${process.pid}.new`;
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${key}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  return key;
}

/**
 * Returns the public key that all servers of a database use: the first one stored, or `own` if there is none. A page of one
 * server can so send requests to another. Throws `DatabaseError` or `DatabaseUnavailable`.
 */
export async function agreePublicKey(database: Database, own: string): Promise<string> {
  const [agreed] = await database.transaction((transaction) =>
    transaction.query<{ key: string }>(
      // The update changes nothing, but makes the statement return the stored row.
      `insert into operations.public_key as stored (key) values ($1)
       on conflict (only_one) do update set key = stored.key returning key`,
      [own],
    ),
  );
  return agreed?.key ?? own;
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** True if two keys are equal. Compares in constant time. */
export function isSameKey(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

/** Returns the token of an `Authorization: Bearer` header. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
