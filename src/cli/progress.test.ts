import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { progressLine, showProgress } from './progress.ts';

function recorder(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream;
  return { stream, text: () => String((stream as unknown as PassThrough).read() ?? '') };
}

it('draws how far a stage is', () => {
  expect(progressLine({ stage: 'storing', done: 500, total: 1000 })).toBe(
    `storing    ${'█'.repeat(15)}${'░'.repeat(15)}  50 % 500 of 1,000`,
  );
  expect(progressLine({ stage: 'reading', done: 0, total: 0 })).toContain('  0 %');
});

it('redraws one line a stage on a terminal', () => {
  const { stream, text } = recorder(true);
  const progress = showProgress(stream);
  progress.report({ stage: 'storing', done: 1, total: 2 });
  progress.report({ stage: 'storing', done: 2, total: 2 });
  progress.report({ stage: 'publishing', done: 0, total: 5 });
  progress.end();
  progress.end();
  const lines = text().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]?.split('\r')).toHaveLength(3);
  expect(lines[1]).toContain('publishing');
});

it('writes plain lines elsewhere, at the start and the end of a stage', () => {
  const { stream, text } = recorder(false);
  const progress = showProgress(stream);
  for (const done of [0, 1, 2, 3]) progress.report({ stage: 'storing', done, total: 3 });
  progress.end();
  expect(text()).toBe('storing: 0 of 3\nstoring: 3 of 3\n');
});
