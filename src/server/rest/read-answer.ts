import { createHash } from 'node:crypto';
import { type Encoded, NOT_ENCODED } from '../http/encoding.ts';
import type { RestResponse } from './exchange.ts';

/** The response to a read, ready to be sent to any number of clients. */
export interface ReadAnswer extends Encoded {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer;
  /** Of content and headers, without quotes; an encoding adds its name. */
  readonly tag: string;
}

/** Makes a response ready to be sent, not compressed. */
export function toReadAnswer({ status, headers, body }: RestResponse): ReadAnswer {
  // In its own memory: a slice of Node's shared pool would keep the whole pool alive.
  const content = Buffer.allocUnsafeSlow(Buffer.byteLength(body));
  content.write(body);
  const hash = createHash('sha256')
    .update(JSON.stringify([status, headers]))
    .update(content);
  return { status, headers, content, tag: hash.digest('base64url').slice(0, 22), ...NOT_ENCODED };
}
