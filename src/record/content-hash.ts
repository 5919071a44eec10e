import { createHash } from 'node:crypto';

/** Returns the SHA-256 of a text in UTF-8 as 64 hexadecimal digits, like `encode(sha256, 'hex')` in Postgres. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
