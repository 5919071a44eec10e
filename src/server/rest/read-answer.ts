import { createHash } from 'node:crypto';
import type { Era } from './eras.ts';
import type { RestResponse } from './exchange.ts';

/** What the database answered to a read, ready to be sent to any number of clients. */
export interface ReadAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer;
  /** Of content and headers, without quotes; an encoding adds its name. */
  readonly tag: string;
  /** When its read began (epoch ms), and in which era. */
  readonly readAt: number;
  readonly era: Era;
  /** Made once it is asked for again; null until then, or where it is not worth it. */
  br: Buffer | null;
  gzip: Buffer | null;
}

/** Makes an answer ready to be sent. */
export function toReadAnswer(response: RestResponse, read: { readAt: number; era: Era }): ReadAnswer {
  const { status, headers } = response;
  // Of its own memory: a part of node's shared pool would hold all of that for as long as it is kept.
  const content = Buffer.allocUnsafeSlow(Buffer.byteLength(response.body));
  content.write(response.body);
  const hash = createHash('sha256')
    .update(JSON.stringify([status, headers]))
    .update(content);
  const tag = hash.digest('base64url').slice(0, 22);
  return { status, headers, content, tag, ...read, br: null, gzip: null };
}
