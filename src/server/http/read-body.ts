import type { IncomingMessage } from 'node:http';

/** Maximum length of a body (bytes) that is read to its end. The server stops reading a longer body and refuses it. */
const MAX_DRAINED = 256 * 1024;

/** Memory that several requests share for their bodies. */
export interface BodyPool {
  free: number;
}

/** Reads a body. Null if it is longer than `limit` bytes, or the pool is used up. Rejects if the client disconnects. */
export function readBody(
  request: IncomingMessage,
  limit: number,
  pool: BodyPool = { free: limit },
): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let held = 0;
    let isRefused = false;
    const release = () => {
      pool.free += held;
      held = 0;
      chunks.length = 0;
    };
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      isRefused ||= length > limit || chunk.length > pool.free;
      if (isRefused) {
        release();
      } else {
        pool.free -= chunk.length;
        held += chunk.length;
        chunks.push(chunk);
      }
      if (length > Math.max(limit, MAX_DRAINED)) {
        request.pause();
        resolve(null);
      }
    });
    request.on('end', () => {
      resolve(isRefused ? null : Buffer.concat(chunks));
      release();
    });
    request.on('error', reject);
    request.on('close', () => {
      release();
      reject(new Error('The client has disconnected.'));
    });
  });
}
