import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Card } from './card.ts';

/** Time limit of a drawing (ms). A thread that takes longer is stopped. */
const TIME_LIMIT_MS = 60_000;

/**
 * Draws an image as a PNG, in a worker thread that ends afterwards and does not keep the process alive. `workerUrl` is
 * the built `draw-worker`. Rejects if the drawing fails or takes too long.
 */
export function drawCard(workerUrl: URL, card: Card, timeLimitMs = TIME_LIMIT_MS): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerUrl, { workerData: card });
    const timeout = setTimeout(() => worker.terminate(), timeLimitMs).unref();
    worker.once('message', (png: Uint8Array) => resolve(Buffer.from(png)));
    worker.once('error', reject);
    worker.once('exit', () => {
      clearTimeout(timeout);
      reject(
        new Error('The thread that draws the share image ended without an image. The next request retries.'),
      );
    });
    // Must come after the listeners, because adding a message listener makes the worker keep the process alive again.
    worker.unref();
  });
}

/** Starts a thread that draws one card after another, each as a PNG. `close` ends it. */
export function startDrawing(workerUrl: URL) {
  const worker = new Worker(workerUrl, { workerData: null });
  const draw = async (card: Card): Promise<Buffer> => {
    const ended = new AbortController();
    const drawn = once(worker, 'message', { signal: ended.signal });
    const failed = once(worker, 'exit', { signal: ended.signal }).then(() => {
      throw new Error('The thread that draws the share images ended. Publish again.');
    });
    worker.postMessage(card);
    try {
      const [png] = await Promise.race([drawn, failed]);
      return Buffer.from(png);
    } finally {
      ended.abort();
      drawn.catch(() => {});
      failed.catch(() => {});
    }
  };
  return { draw, close: () => worker.terminate() };
}
