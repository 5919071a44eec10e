import { createHash, timingSafeEqual } from 'node:crypto';
import type { Database } from '#database/port.ts';

const RANDOM_BYTES = 24;

type Random = (bytes: number) => Uint8Array;

const newKey = (random: Random) =>
  `sb_publishable_${Buffer.from(random(RANDOM_BYTES)).toString('base64url')}`;

/** Returns the public key of a database, and creates it if there is none. It is no secret: every page contains it. */
export async function loadPublicKey(database: Database, random: Random): Promise<string> {
  const created = newKey(random);
  const [stored] = await database.transaction((transaction) =>
    transaction.query<{ key: string }>(
      // The update changes nothing, but with it the statement returns the stored row.
      `insert into operations.public_key as stored (key) values ($1)
       on conflict (only_one) do update set key = stored.key returning key`,
      [created],
    ),
  );
  return stored?.key ?? created;
}

/** Replaces the public key and returns the new one. A running server keeps the old key until it restarts. */
export async function rotatePublicKey(database: Database, random: Random): Promise<string> {
  const key = newKey(random);
  await database.transaction((transaction) =>
    transaction.query(
      'insert into operations.public_key (key) values ($1) on conflict (only_one) do update set key = excluded.key',
      [key],
    ),
  );
  return key;
}

const digest = (text: string) => createHash('sha256').update(text).digest();

/** True if two keys are equal. Compares in constant time. */
export function isSameKey(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
