import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mailSettings, mailTo } from '#tests/support/deliveries.ts';
import { openOutbox } from '../deliver/outbox.ts';
import { eraseFromOutbox } from './erase.ts';

const folder = mkdtempSync(join(tmpdir(), 'barometer-outbox-'));
const LONG = `${'a'.repeat(60)}@${'b'.repeat(60)}.example.org`;

async function writeMail(to: string, id: number): Promise<void> {
  const message = mailTo(to, {
    html: '<p>To: someone@example.org</p>',
    text: 'To: someone@example.org',
    messageId: `<${id}@signal.example>`,
  });
  const outcome = await openOutbox(mailSettings({ outboxFolder: folder })).send(message);
  expect(outcome).toEqual({ result: 'sent' });
}

beforeAll(async () => {
  const people = [
    'jane@example.org',
    'jane@example.org',
    'mary-jane@example.org',
    'jo@münchen.example',
    LONG,
  ];
  for (const [id, to] of people.entries()) await writeMail(to, id);
  writeFileSync(join(folder, '.half.eml.part'), 'From: a@example.org\r\nTo: jane@example.org\r\nSubj');
  writeFileSync(join(folder, 'notes.txt'), 'To: jane@example.org\r\n\r\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('deletes all outbox files of an address, including incomplete files', async () => {
  expect(await eraseFromOutbox(folder, 'someone@example.org')).toBe(0);
  expect(await eraseFromOutbox(folder, ' JANE@Example.org ')).toBe(3);
  expect(await eraseFromOutbox(folder, 'jo@xn--mnchen-3ya.example')).toBe(1);
  expect(await eraseFromOutbox(folder, LONG)).toBe(1);
  expect(readdirSync(folder)).toHaveLength(2);
});

it('continues if an outbox file is deleted or renamed at the same time', async () => {
  // A symbolic link to a missing file is listed but cannot be opened.
  symlinkSync('nowhere', join(folder, '.late.eml.part'));
  writeFileSync(join(folder, 'other.eml'), 'To: late@example.org\r\n\r\n');
  expect(await eraseFromOutbox(folder, 'late@example.org')).toBe(1);
  rmSync(join(folder, '.late.eml.part'));
});

it('returns 0 without an outbox folder', async () => {
  expect(await eraseFromOutbox(join(folder, 'none'), 'jane@example.org')).toBe(0);
});
