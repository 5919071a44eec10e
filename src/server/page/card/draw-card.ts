import { Worker } from 'node:worker_threads';
import type { Card } from './card.ts';

/** Time limit of a drawing (ms). A thread that takes longer is stopped. */
const TIME_LIMIT_MS = 60_000;

/** Starts a thread that draws cards as PNGs. A drawing that fails or takes too long rejects and ends the thread. */
export function startDrawing(workerUrl: URL, timeLimitMs = TIME_LIMIT_MS) {
  const worker = new Worker(workerUrl);
  const draw = (card: Card): Promise<Buffer> =>
    new Promise<Buffer>((resolve, reject) => {
      const timeout = setTimeout(() => worker.terminate(), timeLimitMs).unref();
      worker.once('message', (png: Uint8Array) => {
        clearTimeout(timeout);
        resolve(Buffer.from(png));
      });
      worker.once('error', reject);
      worker.once('exit', () => {
        clearTimeout(timeout);
        reject(new Error('The thread that draws the share image ended without an image. Try again.'));
      });
      worker.postMessage(card);
    }).finally(() => worker.removeAllListeners());
  return { draw, close: () => worker.terminate(), unref: () => worker.unref() };
}

/** Draws an image in a thread of its own, which does not keep the process alive and whose memory is freed when it ends. */
export async function drawCard(workerUrl: URL, card: Card, timeLimitMs?: number): Promise<Buffer> {
  const { draw, close, unref } = startDrawing(workerUrl, timeLimitMs);
  const drawing = draw(card).finally(close);
  // Adding a listener makes the worker keep the process alive again, so this comes after it.
  unref();
  return drawing;
}
