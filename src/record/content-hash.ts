import { createHash } from 'node:crypto';

/** SHA-256 of a text in UTF-8, as 64 hexadecimal digits: the form of `encode(sha256, 'hex')` in the database. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
