import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { confirm } from './confirm.ts';

function ask(answer: string | null, { isTerminal = true } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal }) as unknown as NodeJS.ReadStream;
  const stderr = new PassThrough();
  const answered = confirm('Issue it?', { stdin, stderr: stderr as unknown as NodeJS.WriteStream });
  (stdin as unknown as PassThrough).end(answer === null ? undefined : `${answer}\n`);
  return answered.then((isConfirmed) => ({ isConfirmed, shown: String(stderr.read() ?? '') }));
}

it.each([
  ['y', true],
  ['Yes', true],
  ['', false],
  ['n', false],
  ['yesterday', false],
  [null, false],
])('the answer %j is %s', async (answer, isConfirmed) => {
  expect(await ask(answer)).toEqual({ isConfirmed, shown: expect.stringMatching(/^Issue it\? \[y\/N\] /) });
});

it('asks nothing without a terminal', async () => {
  expect(await ask('y', { isTerminal: false })).toEqual({ isConfirmed: null, shown: '' });
});
