import { Worker } from 'node:worker_threads';
import type { Card } from './card.ts';

/** A thread that takes longer is stopped. */
const TIME_LIMIT_MS = 20_000;

/**
 * Draws a card as a PNG in a worker thread that ends afterwards; `workerUrl` is the built `draw-worker`. Does not keep the
 * process alive. Rejects if the drawing fails or takes too long.
 */
export function drawCard(workerUrl: URL, card: Card, timeLimitMs = TIME_LIMIT_MS): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerUrl, { workerData: card });
    const timeout = setTimeout(() => worker.terminate(), timeLimitMs).unref();
    worker.once('message', (png: Uint8Array) => resolve(Buffer.from(png)));
    worker.once('error', reject);
    worker.once('exit', () => {
      clearTimeout(timeout);
      reject(new Error('The image was not drawn.'));
    });
    // Must be last: adding a message listener refs the worker again.
    worker.unref();
  });
}
