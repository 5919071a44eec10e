import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImportLine } from '#mailer/subscribers/import-subscribers.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { parseInstant, readSubscriberFile } from './subscriber-file.ts';

const NOW = Date.parse('2026-11-21T14:00:00Z');
const CONSENTED = Date.parse('2024-05-01T10:00:00Z');
const folder = folderForTests();

async function read(content: string | Uint8Array): Promise<ImportLine[]> {
  const path = join(folder, 'list.csv');
  writeFileSync(path, content);
  const lines: ImportLine[] = [];
  for await (const some of readSubscriberFile(path, NOW)) lines.push(...some);
  return lines;
}

const reasonsOf = (lines: readonly ImportLine[]) =>
  lines.map((line) => [line.line, line.kind === 'malformed' ? line.reason : line.kind]);

describe('an instant', () => {
  it.each([
    ['2024-05-01', '2024-05-01T00:00:00Z'],
    ['2024-05-01T10:00:00.123456Z', '2024-05-01T10:00:00.123Z'],
    ['2024-05-01 12:00:00+02', '2024-05-01T10:00:00Z'],
    ['2024-05-01 12:00+02:00', '2024-05-01T10:00:00Z'],
    ['2024-05-01 10:00:00.5 +0000 UTC', '2024-05-01T10:00:00.5Z'],
    ['2024-05-01 15:30:00 +0530 IST', '2024-05-01T10:00:00Z'],
  ])('is read from %j', (text, instant) => {
    expect(parseInstant(text)).toBe(Date.parse(instant));
  });

  it.each(['', '2024-02-30', '01/05/2024', '0001-01-01 00:00:00 +0000 UTC', '2024-05-01 25:00', '20240501'])(
    'is not read from %j',
    (text) => {
      expect(parseInstant(text)).toBeNull();
    },
  );
});

it("reads listmonk's export with a byte order mark, CRLF and quotes", async () => {
  const lines = await read(
    '\uFEFFuuid,email,name,attributes,status,created_at,updated_at\r\n' +
      'u1,jane@example.org,"Doe, ""Jane""","{""city"": ""Bonn""}",enabled,2024-05-01 10:00:00 +0000 UTC,2025-01-01 00:00:00 +0000 UTC\r\n' +
      'u2,john@example.org,,{},blocklisted,2024-05-01 10:00:00 +0000 UTC,2025-01-01 00:00:00 +0000 UTC\r\n',
  );
  expect(lines).toEqual([
    { kind: 'active', line: 2, email: 'jane@example.org', consentedAt: CONSENTED, alerts: false },
    { kind: 'inactive', line: 3, email: 'john@example.org', endedAt: Date.parse('2025-01-01T00:00:00Z') },
  ]);
});

it('reads our own export and removes the mark before a formula', async () => {
  const lines = await read(
    'email,is_active,alerts,created_at,confirmed_at,deactivated_at,deactivated_because\n' +
      "'+jane@example.org,true,true,2020-01-01T00:00:00.000Z,2024-05-01T10:00:00.000Z,,\n" +
      "o'neil@example.org,true,false,2020-01-01T00:00:00.000Z,,,\n" +
      'old@example.org,false,true,2020-01-01T00:00:00.000Z,2020-01-01T00:00:00.000Z,2026-01-01T00:00:00.000Z,bounced',
  );
  expect(lines).toEqual([
    { kind: 'active', line: 2, email: '+jane@example.org', consentedAt: CONSENTED, alerts: true },
    { kind: 'malformed', line: 3, reason: 'no valid date of consent' },
    { kind: 'inactive', line: 4, email: 'old@example.org', endedAt: Date.parse('2026-01-01T00:00:00Z') },
  ]);
});

it('reads the choice of alerts', async () => {
  const lines = await read(
    'email,created_at,alerts\na@example.org,2024-05-01,TRUE\nb@example.org,2024-05-01,\nc@example.org,2024-05-01,yes\n',
  );
  expect(lines).toMatchObject([
    { kind: 'active', alerts: true },
    { kind: 'active', alerts: false },
    { kind: 'malformed', reason: 'alerts is neither true nor false' },
  ]);
});

it('reports each malformed line with its number and a reason', async () => {
  const lines = await read(
    Buffer.concat([
      Buffer.from(
        'email,status,consent_date\n' +
          ',active,2024-05-01\n' +
          '\n' +
          'a@example.org,maybe,2024-05-01\n' +
          'a@example.org,active,yesterday\n' +
          'a@example.org,active,2030-01-01\n' +
          'a@example.org,active\n' +
          '"a"@example.org,active,2024-05-01\n' +
          'a@exa\u0000mple.org,active,2024-05-01\n',
      ),
      Buffer.from('j\xfcrgen@example.org,active,2024-05-01\n', 'latin1'),
    ]),
  );
  expect(reasonsOf(lines)).toEqual([
    [2, 'no address'],
    [4, 'an unknown status'],
    [5, 'no valid date of consent'],
    [6, 'a date of consent in the future'],
    [7, 'the number of cells differs from the header'],
    [8, 'a quote inside a cell is not doubled'],
    [9, 'not an address that can receive mail'],
    [10, 'not in UTF-8'],
  ]);
});

it('subscribes no address that is part of a cell of several lines', async () => {
  const lines = await read(
    'email,name,created_at\n' +
      'jane@example.org,"Jane\nvictim@example.org,Victim,2024-05-01\n",2024-05-01\n' +
      'john@example.org,John,2024-05-01\n',
  );
  expect(reasonsOf(lines)).toEqual([
    [2, 'part of a cell of several lines'],
    [3, 'part of a cell of several lines'],
    [4, 'part of a cell of several lines'],
    [5, 'active'],
  ]);
});

it.each([
  ['mail,created_at\na@example.org,2024-05-01\n', 'list.csv has no column "email"'],
  ['email;created_at\na@example.org;2024-05-01\n', 'list.csv has no column "email"'],
  ['email,name\na@example.org,Jane\n', 'list.csv has no column with the date of consent'],
  [
    'email,created_at,Email\na@example.org,2024-05-01,b@example.org\n',
    'list.csv has the column "email" twice',
  ],
  ['', 'list.csv is empty'],
  [`email,created_at\n${'a'.repeat(70_000)}\n`, 'list.csv, line 2 is longer than 64 KiB'],
])('refuses invalid file %#', async (content, message) => {
  await expect(read(content)).rejects.toThrow(message);
});

it('refuses a file that does not exist', async () => {
  const lines = readSubscriberFile(join(folder, 'none.csv'), NOW);
  await expect(lines.next()).rejects.toThrow(`${join(folder, 'none.csv')} cannot be read (ENOENT).`);
});
