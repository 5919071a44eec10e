import { expect, it } from 'vitest';
import { drawCard } from './draw-card.ts';

const CARD = { node: { type: 'text', text: 'HOLD' }, css: '', drawings: {} } as const;

const thread = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

it('resolves with the image of the worker thread', async () => {
  const drawing = thread(`
    import { parentPort, workerData } from 'node:worker_threads';
    parentPort.postMessage(Buffer.from(workerData.node.text));`);
  expect((await drawCard(drawing, CARD)).toString()).toBe('HOLD');
});

it.each([
  [
    'hangs',
    'for (;;);',
    'The thread that draws the share image ended without an image. The next request retries.',
    300,
  ],
  ['fails', 'throw new Error("No font.");', 'No font.', undefined],
  [
    'ends without an image',
    'process.exit();',
    'The thread that draws the share image ended without an image. The next request retries.',
    undefined,
  ],
])('rejects if the thread %s', async (_, code, reason, timeLimitMs) => {
  await expect(drawCard(thread(code), CARD, timeLimitMs)).rejects.toThrow(reason);
});

it('lets the process end while the worker thread does not respond', async () => {
  const ports = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
  const before = ports();
  const drawing = drawCard(thread('for (;;);'), CARD, 300);
  expect(ports()).toBe(before);
  await expect(drawing).rejects.toThrow();
});
