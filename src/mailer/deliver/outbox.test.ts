import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ISSUED_AT, mailSettings, mailTo } from '#tests/support/deliveries.ts';
import { openOutbox, outboxFileName } from './outbox.ts';

const DAY = 86_400_000;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'barometer-outbox-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const message = mailTo('reader@example.com', {
  subject: 'HOLD 54: up 3.4 since last week',
  html: '<p>HOLD — 54</p>',
  text: 'HOLD — 54',
});

it('writes a mail into a file that only its owner can read', async () => {
  const outboxFolder = join(folder, 'data', 'outbox');
  const outbox = openOutbox(mailSettings({ outboxFolder }));
  expect(await outbox.send(message)).toEqual({ result: 'sent' });
  const [name = '', ...others] = readdirSync(outboxFolder);
  expect(others).toEqual([]);
  expect(name).toMatch(/^2026-11-16-[0-9a-f]{24}\.eml$/);
  expect(statSync(join(outboxFolder, name)).mode & 0o777).toBe(0o600);
  expect(statSync(outboxFolder).mode & 0o777).toBe(0o700);
  const content = readFileSync(join(outboxFolder, name), 'utf8');
  expect(content).toContain('To: reader@example.com\r\n');
  expect(content).toContain('Message-ID: <5f2c@signal.example>\r\n');
  expect(content).not.toMatch(/[^\r]\n/);
});

it('replaces the file of a mail that is written again', async () => {
  const outbox = openOutbox(mailSettings({ outboxFolder: folder }));
  await outbox.send(message);
  await outbox.send({ ...message, date: ISSUED_AT + DAY });
  await outbox.send({ ...message, messageId: '<other@signal.example>' });
  expect(readdirSync(folder).sort()).toEqual(
    [outboxFileName(message), outboxFileName({ ...message, messageId: '<other@signal.example>' })].sort(),
  );
});

it('has the error code of a failed write in its reason', async () => {
  const file = join(folder, 'taken');
  writeFileSync(file, '');
  for (const [outboxFolder, code] of [
    [file, 'ENOTDIR'],
    ['/proc/nope/deeper', 'ENOENT'],
  ] as const) {
    expect(await openOutbox(mailSettings({ outboxFolder })).send(message)).toEqual({
      result: 'unavailable',
      reason: `The outbox folder ${outboxFolder} cannot be written (${code}). Check its permissions and the free space.`,
    });
  }
});

it('removes the temporary file after a failed write', async () => {
  mkdirSync(join(folder, outboxFileName(message)));
  const outcome = await openOutbox(mailSettings({ outboxFolder: folder })).send(message);
  expect(outcome).toMatchObject({ result: 'unavailable' });
  expect(readdirSync(folder)).toEqual([outboxFileName(message)]);
});

it('refuses a mail with an invalid address', async () => {
  const outbox = openOutbox(mailSettings({ outboxFolder: folder }));
  const sending = outbox.send({ ...message, to: 'reader@example.com\r\nBcc: other@example.com' });
  await expect(sending).rejects.toThrow('This address cannot receive mail.');
  expect(readdirSync(folder)).toEqual([]);
});
