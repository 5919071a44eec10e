import { Worker } from 'node:worker_threads';
import type { Card } from './card.ts';

/** A thread that takes longer has gone wrong. */
const LONGEST_MS = 20_000;

/**
 * Draws a card as a PNG in a thread of its own, which ends with it; `workerUrl` is the built `draw-worker`.
 * A process that has nothing else left to do ends without waiting for it.
 */
export function drawCard(workerUrl: URL, card: Card, longest = LONGEST_MS): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerUrl, { workerData: card });
    const impatience = setTimeout(() => worker.terminate(), longest).unref();
    worker.once('message', (png: Uint8Array) => resolve(Buffer.from(png)));
    worker.once('error', reject);
    worker.once('exit', () => {
      clearTimeout(impatience);
      reject(new Error('The picture was not drawn.'));
    });
    // Last, since listening for messages holds the process again.
    worker.unref();
  });
}
