import type { IncomingMessage } from 'node:http';

/** Maximum length of a body (bytes) that is read to its end. The server stops reading a longer body and refuses it. */
const MAX_DRAINED = 256 * 1024;

/** Reads the body of a request. Returns null if it is longer than `limit` bytes. Rejects if the client disconnects. */
export function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (length > MAX_DRAINED) {
        request.pause();
        resolve(null);
      }
    });
    request.on('end', () => resolve(length > limit ? null : Buffer.concat(chunks)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('The client has disconnected.')));
  });
}
