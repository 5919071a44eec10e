import type { IncomingMessage } from 'node:http';

/** A longer body is not read to its end before it is refused. */
const WORTH_DRAINING = 256 * 1024;

/** The body of a request; null if it is longer than `limit` bytes. Rejects if the client disconnects. */
export function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (length > WORTH_DRAINING) {
        request.pause();
        resolve(null);
      }
    });
    request.on('end', () => resolve(length > limit ? null : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('The client went away.')));
  });
}
