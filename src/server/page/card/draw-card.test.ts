import { expect, it } from 'vitest';
import { drawCard, startDrawing } from './draw-card.ts';

const CARD = { node: { type: 'text', text: 'HOLD' }, css: '', drawings: {} } as const;

const thread = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

const ON_MESSAGE = `import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ node }) => parentPort.postMessage(Buffer.from(node.text)));`;
const ENDED = 'The thread that draws the share image ended without an image. Try again.';

it('resolves with the image of the worker thread', async () => {
  expect(String(await drawCard(thread(ON_MESSAGE), CARD))).toBe('HOLD');
});

it('draws one card after another in one thread', async () => {
  const { draw, close } = startDrawing(thread(ON_MESSAGE));
  const drawn = [await draw(CARD), await draw({ ...CARD, node: { type: 'text', text: 'BUY' } })];
  await close();
  expect(drawn.map(String)).toEqual(['HOLD', 'BUY']);
});

it('rejects all drawings after the thread has ended', async () => {
  const { draw } = startDrawing(thread('process.exit();'));
  await expect(draw(CARD)).rejects.toThrow(ENDED);
  await expect(draw(CARD)).rejects.toThrow(ENDED);
});

it.each([
  ['hangs', 'for (;;);', ENDED, 300],
  ['fails', 'throw new Error("No font.");', 'No font.', undefined],
  ['ends without an image', 'process.exit();', ENDED, undefined],
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
