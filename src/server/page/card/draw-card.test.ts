import { expect, it } from 'vitest';
import { drawCard } from './draw-card.ts';

const CARD = { node: { type: 'text', text: 'HOLD' }, css: '', drawings: {} } as const;

const thread = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

it('resolves with what the thread drew', async () => {
  const drawing = thread(`
    import { parentPort, workerData } from 'node:worker_threads';
    parentPort.postMessage(Buffer.from(workerData.node.text));`);
  expect((await drawCard(drawing, CARD)).toString()).toBe('HOLD');
});

it.each([
  ['hangs', 'for (;;);', 'The picture was not drawn.', 300],
  ['fails', 'throw new Error("No font.");', 'No font.', undefined],
  ['ends without a picture', 'process.exit();', 'The picture was not drawn.', undefined],
])('rejects when the thread %s', async (_, code, reason, longest) => {
  await expect(drawCard(thread(code), CARD, longest)).rejects.toThrow(reason);
});

it('does not hold the process, which ends though a thread hangs', async () => {
  const ports = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
  const before = ports();
  const drawing = drawCard(thread('for (;;);'), CARD, 300);
  expect(ports()).toBe(before);
  await expect(drawing).rejects.toThrow();
});
