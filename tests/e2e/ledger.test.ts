import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { runCommand, temporaryFolder } from '#tests/support/product.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const checkpoint = async () => (await fetch(new URL('/ledger/checkpoint', inject('demoUrl')))).text();

it('"ledger verify" passes for a running server and its own checkpoint', async () => {
  const file = join(folder.path, 'mail.txt');
  writeFileSync(file, `The weekly signal\n\n${await checkpoint()}`);
  const { code, stdout, stderr } = await runCommand([
    'ledger',
    'verify',
    inject('demoUrl'),
    '--checkpoint',
    file,
  ]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /^The ledger is complete and unchanged: [1-9]\d* decisions, [1-9]\d* grades, \d+ days?; \d+ entries of barometer-ledger\/\w{32}\.\nIt contains all \d+ entries of the older checkpoint, unchanged\.\n$/,
  );
});

it('"ledger verify" fails for a changed checkpoint, with one sentence', async () => {
  const file = join(folder.path, 'changed.txt');
  writeFileSync(
    file,
    (await checkpoint()).replace(/\n(\d+)\n/, (_, size) => `\n${Number(size) + 1}\n`),
  );
  const outcome = await runCommand(['ledger', 'verify', inject('demoUrl'), '--checkpoint', file]);
  expect(outcome).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The signature of the older checkpoint is invalid, because the file was changed.\n',
  });
});

it.each([
  [['ledger', 'verify', 'nowhere'], 1, /^"nowhere" is no web address/],
  [['ledger', 'verify', 'http://127.0.0.1:9'], 1, /cannot be read\. Check the address and the connection\.$/],
  [
    ['ledger', 'verify', 'http://127.0.0.1:9', '--checkpoint', '/nonexistent'],
    1,
    /^\/nonexistent cannot be read \(ENOENT\)/,
  ],
  [['ledger', 'verify'], 2, /^ledger verify takes exactly URL and flags\./],
])('%j ends with one sentence', async (command, code, sentence) => {
  const outcome = await runCommand(command);
  expect([outcome.code, outcome.stdout, outcome.stderr.trimEnd().split('\n').length]).toEqual([code, '', 1]);
  expect(outcome.stderr.trimEnd()).toMatch(sentence);
});
