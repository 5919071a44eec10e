import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { runCommand } from '#tests/support/product.ts';
import { folderForTests } from '#tests/support/shared.ts';

const folder = folderForTests();

const checkpoint = async () => (await fetch(new URL('/ledger/checkpoint', inject('demoUrl')))).text();

it('"ledger verify" passes for a running server and its own checkpoint', async () => {
  const file = join(folder, 'mail.txt');
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
    new RegExp(
      '^The ledger is complete and unchanged: [1-9]\\d* decisions, [1-9]\\d* grades, [\\d,]+ publications, \\d+ quality events, \\d+ verdict changes, [1-9]\\d* risk outlooks, [1-9]\\d* outcomes; ' +
        '\\d+ entries of barometer-ledger/\\w{32}\\.\\n' +
        'The site shows what the ledger recorded: [\\d,]+ table rows, /signals\\.csv, the feeds and the rows of \\d+ publications?\\.\\n' +
        'Every week has its decision\\. [\\d,]+ rows computed later from stored data; nobody could see them at their time\\.\\n' +
        'It contains all \\d+ entries of the older checkpoint, unchanged\\.\\nNo external anchor keeps its checkpoints\\.\\n$',
    ),
  );
});

it('"ledger verify" fails for a changed checkpoint, with one sentence', async () => {
  const file = join(folder, 'changed.txt');
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
  [['ledger', 'verify', 'http://127.0.0.1:9'], 1, /cannot be read\. Check the address and the connection\.$/],
  [
    ['ledger', 'verify', 'http://127.0.0.1:9', '--checkpoint', '/nonexistent'],
    1,
    /^\/nonexistent cannot be read \(ENOENT\)/,
  ],
  [
    ['ledger', 'verify', 'http://127.0.0.1:9', '--days', 'all'],
    2,
    /^--days must be a whole number above zero, not "all"\./,
  ],
  [['ledger', 'verify'], 2, /^ledger verify takes exactly URL and flags\./],
])('%j ends with one sentence', async (command, code, sentence) => {
  const outcome = await runCommand(command);
  expect([outcome.code, outcome.stdout, outcome.stderr.trimEnd().split('\n').length]).toEqual([code, '', 1]);
  expect(outcome.stderr.trimEnd()).toMatch(sentence);
});
