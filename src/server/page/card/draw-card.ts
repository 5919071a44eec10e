import { Worker } from 'node:worker_threads';
import type { Card } from './card.ts';

/** Starts a thread that draws one PNG after another. A failure or a timeout rejects and ends the thread. */
export function startDrawing(workerUrl: URL, timeLimitMs?: number) {
  const worker = new Worker(workerUrl);
  const ended = new Promise<never>((_, reject) => {
    worker.once('error', reject);
    worker.once('exit', () =>
      reject(new Error('The thread that draws the share image ended without an image. Try again.')),
    );
  });
  ended.catch(() => {});
  async function draw(card: Card): Promise<Buffer> {
    const drawn = new Promise<Uint8Array>((resolve) => {
      worker.once('message', resolve);
    });
    const timeout = timeLimitMs && setTimeout(() => worker.terminate(), timeLimitMs).unref();
    worker.postMessage(card);
    try {
      return Buffer.from(await Promise.race([drawn, ended]));
    } finally {
      clearTimeout(timeout);
    }
  }
  return { draw, close: () => worker.terminate(), unref: () => worker.unref() };
}

/** Time limit of a drawing (ms). A thread that takes longer is stopped. */
const TIME_LIMIT_MS = 60_000;

/** Draws an image in a thread of its own, which does not keep the process alive and whose memory is freed when it ends. */
export async function drawCard(workerUrl: URL, card: Card, timeLimitMs = TIME_LIMIT_MS): Promise<Buffer> {
  const { draw, close, unref } = startDrawing(workerUrl, timeLimitMs);
  const drawing = draw(card).finally(close);
  // Adding a listener makes the worker keep the process alive again, so this comes after it.
  unref();
  return drawing;
}
