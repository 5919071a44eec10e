import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { progressLine, showProgress } from './progress.ts';

function recorder(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream;
  return { stream, text: () => String((stream as unknown as PassThrough).read() ?? '') };
}

it('draws a bar with the percentage and the number of steps', () => {
  expect(progressLine({ stage: 'storing', done: 500, total: 1000 })).toBe(
    `storing    ${'█'.repeat(10)}${'░'.repeat(10)}  50 % 500 of 1,000`,
  );
  const longest = progressLine({ stage: 'publishing', done: 566_382, total: 566_382 });
  expect(longest.length).toBeLessThan(80);
  expect(progressLine({ stage: 'reading', done: 0, total: 0 })).toContain('  0 %');
});

it('redraws one line per stage on a terminal', () => {
  const { stream, text } = recorder(true);
  const progress = showProgress(stream, () => 0);
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

it('writes a line at the start and the end of a short stage without a terminal', () => {
  const { stream, text } = recorder(false);
  const progress = showProgress(stream, () => 0);
  progress.report({ stage: 'reading', done: 0, total: 0 });
  for (const done of [0, 1, 2, 3]) progress.report({ stage: 'storing', done, total: 3 });
  progress.end();
  expect(text()).toBe('reading …\nstoring: 0 of 3\nstoring: 3 of 3\n');
});

it('writes a line at each tenth of a long stage', () => {
  const { stream, text } = recorder(false);
  let at = 0;
  const progress = showProgress(stream, () => at);
  for (let done = 0; done <= 600; done += 1) {
    at = done * 600;
    progress.report({ stage: 'fetching', done, total: 600 });
  }
  expect(text().split('\n')).toEqual([
    'fetching: 0 of 600',
    'fetching: 60 of 600',
    'fetching: 120 of 600',
    'fetching: 180 of 600',
    'fetching: 240 of 600',
    'fetching: 300 of 600',
    'fetching: 360 of 600',
    'fetching: 420 of 600',
    'fetching: 480 of 600',
    'fetching: 540 of 600',
    'fetching: 600 of 600',
    '',
  ]);
});
