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
 * The public key of a data folder, made the first time. It is no secret: every page carries it. `random`
 * gives that many bytes, as `crypto.randomBytes` does. Throws an error with a sentence if the folder cannot be made.
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
      `The data folder ${folder} cannot be made (${code}). Set BAROMETER_DATA_DIR to another folder.`,
      { cause: error },
    );
  }
  // Beside it, then renamed: a kill half-way leaves no half a key.
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
 * The public key of all servers on a database: the first that any of them brought, so that a page of one may ask another.
 * Throws `DatabaseError` or `DatabaseUnavailable`.
 */
export async function agreePublicKey(database: Database, own: string): Promise<string> {
  const [agreed] = await database.transaction((transaction) =>
    transaction.query<{ key: string }>(
      // Changes nothing where there is one; written as an update since a bare conflict returns no row.
      `insert into operations.public_key as held (key) values ($1)
       on conflict (only_one) do update set key = held.key returning key`,
      [own],
    ),
  );
  return agreed?.key ?? own;
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Whether two keys are the same, in a time that does not tell how much of them is. */
export function isSameKey(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

/** The token of an `Authorization: Bearer` header. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
