import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Database, queryOnce } from '#database/port.ts';

/** Offers a new public key, keeps the `stored` or the `excluded` (new) one, and returns it. */
async function keepKey(database: Database, kept: 'stored' | 'excluded', random: typeof randomBytes24) {
  const created = `sb_publishable_${Buffer.from(random()).toString('base64url')}`;
  const [row] = await queryOnce<{ key: string }>(
    database,
    `insert into operations.public_key as stored (key) values ($1)
     on conflict (only_one) do update set key = ${kept}.key returning key`,
    [created],
  );
  return row?.key ?? created;
}

const randomBytes24 = (): Uint8Array => randomBytes(24);

/** Returns the public key of a database, and creates it if there is none. It is no secret: every page contains it. */
export const loadPublicKey = (database: Database, random = randomBytes24) =>
  keepKey(database, 'stored', random);

/** Replaces the public key and returns the new one. A running server keeps the old key until it restarts. */
export const rotatePublicKey = (database: Database, random = randomBytes24) =>
  keepKey(database, 'excluded', random);

const digest = (text: string) => createHash('sha256').update(text).digest();

/** True if two keys are equal. Compares in constant time. */
export function isSameKey(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
