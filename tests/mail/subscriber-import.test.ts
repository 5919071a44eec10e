import type { ChildProcess } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type ImportLine,
  type ImportOptions,
  importSubscribers,
} from '#mailer/subscribers/import-subscribers.ts';
import { databaseOfEachTest } from '#tests/support/database-of-each-test.ts';
import { copyTemplate } from '#tests/support/embedded.ts';
import { runCommand } from '#tests/support/product.ts';
import { folderForTests } from '#tests/support/shared.ts';

const CONSENTED = '2024-05-01T10:00:00.000Z';
const consentedAt = Date.parse(CONSENTED);
const active = (line: number, email: string, alerts = false): ImportLine => ({
  ...{ kind: 'active', line, email, consentedAt, alerts },
});

async function* once(lines: readonly ImportLine[]) {
  for (let at = 0; at < lines.length; at += 700) yield lines.slice(at, at + 700);
}

describe('an import', () => {
  const { database, run: query } = databaseOfEachTest();
  const importLines = (lines: readonly ImportLine[], options: Partial<ImportOptions> = {}) =>
    importSubscribers(database, () => once(lines), { apply: true, ...options });

  it('adds confirmed subscribers with their date of consent, but no ended subscription', async () => {
    await query(`insert into public.email_subscribers (email, is_active, deactivated_because) values
         ('here@example.org', true, null), ('left@example.org', false, 'left'), ('spam@example.org', false, 'complained'),
         ('back@example.org', false, 'left'), ('back@example.org', true, null)`);
    const lines: ImportLine[] = [
      active(2, 'new@example.org'),
      active(3, ' NEW@Example.org'),
      active(4, 'here@example.org'),
      active(5, 'Left@example.org', true),
      active(6, 'spam@example.org'),
      active(7, 'back@example.org'),
      active(8, 'not an address'),
      { kind: 'malformed', line: 9, reason: 'no address' },
      { kind: 'inactive', line: 10, email: 'gone@example.org', endedAt: null },
      active(11, 'gone@example.org'),
      { kind: 'inactive', line: 12, email: 'again@example.org', endedAt: consentedAt - 1 },
      active(13, 'again@example.org'),
      active(14, 'jo@BÜCHER.example', true),
    ];
    const counts = { lines: 13, active: 2, repeated: 1, ended: 2, inactive: 3, malformed: 2 };
    const faults = new Map([
      ['no address', { count: 1, lines: [9] }],
      ['not an address that can receive mail', { count: 1, lines: [8] }],
    ]);
    const read =
      'select email, created_at, confirmed_at, alerts from public.email_subscribers order by id offset 5';
    expect(await importLines(lines, { apply: false })).toEqual({ ...counts, added: 3, faults });
    expect(await query(read)).toEqual([]);
    expect(await importLines(lines)).toEqual({ ...counts, added: 3, faults });
    const added = { created_at: CONSENTED, confirmed_at: CONSENTED, alerts: false };
    expect(await query(read)).toEqual([
      { email: 'new@example.org', ...added },
      { email: 'again@example.org', ...added },
      { email: 'jo@xn--bcher-kva.example', ...added, alerts: true },
    ]);
    expect(await query('select from mailer.deliveries')).toEqual([]);
  });

  it('continues after an interruption, with each subscriber added once', async () => {
    const lines = Array.from({ length: 3_500 }, (_, at) => active(at + 2, `reader-${at}@example.org`));
    const stop = new AbortController();
    const report = ({ done }: { done: number }) => {
      if (done >= 2_000) stop.abort(new Error('stopped'));
    };
    await expect(importLines(lines, { report, signal: stop.signal })).rejects.toThrow('stopped');
    expect(await query('select from public.email_subscribers')).toHaveLength(2_000);
    expect(await importLines(lines)).toMatchObject({ added: 1_500, active: 2_000, repeated: 0 });
    expect(await importLines(lines)).toMatchObject({ added: 0, active: 3_500, repeated: 0 });
    expect(await query('select distinct email from public.email_subscribers')).toHaveLength(3_500);
  });
});

describe('the commands', () => {
  const temporary = folderForTests();
  const settings = { BAROMETER_DATA_DIR: join(temporary, 'data') };
  const path = join(temporary, 'list.csv');
  const output = join(temporary, 'active.csv');
  const READERS = 2_500;

  beforeAll(async () => {
    await copyTemplate(join(settings.BAROMETER_DATA_DIR, 'database'));
  });

  it('import a file in spite of a kill, and export it with the date of consent', async () => {
    const readers = Array.from({ length: READERS }, (_, at) => `reader-${at}@example.org,${CONSENTED}\n`);
    writeFileSync(path, `email,confirmed_at\n${readers.join('')}nobody,${CONSENTED}\n`);
    const dryRun = await runCommand(['subscribers', 'import', path], settings);
    expect(dryRun.stdout).toMatch(/^2,501 {2}lines\n2,500 {2}would be added\n/);
    expect(dryRun.stdout).toContain(
      '\n  not an address that can receive mail: line 2502\nNothing was changed.',
    );
    expect([dryRun.code, dryRun.stdout.includes('@')]).toEqual([1, false]);

    const kill = (child: ChildProcess) =>
      child.stderr?.on('data', (chunk: Buffer) => {
        if (chunk.toString().startsWith('importing')) child.kill('SIGKILL');
      });
    expect((await runCommand(['subscribers', 'import', path, '--apply'], settings, kill)).code).toBeNull();
    const again = await runCommand(['subscribers', 'import', path, '--apply'], settings);
    const [, added, present] = /([\d,]+) {2}added\n *([\d,]+) {2}already subscribed/.exec(again.stdout) ?? [];
    const number = (text = '') => Number(text.replace(',', ''));
    expect(number(present)).toBeGreaterThanOrEqual(1_000);
    expect(number(added) + number(present)).toBe(READERS);

    const exported = await runCommand(['subscribers', 'export', '--active', '--output', output], settings);
    expect(exported.stdout).toMatch(/^Exported 2,500 subscribers to /);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    const rows = readFileSync(output, 'utf8').trimEnd().split('\r\n').slice(1);
    expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(READERS);
    expect(rows.every((row) => row.endsWith(`,true,false,${CONSENTED},${CONSENTED},,`))).toBe(true);
  });

  it('end an export without an error if its reader stops', async () => {
    const stop = (child: ChildProcess) => child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await runCommand(['subscribers', 'export'], settings, stop)).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('refuse to overwrite a file, and to export all to listmonk', async () => {
    const existing = await runCommand(['subscribers', 'export', '--output', path], settings);
    expect([existing.code, existing.stderr]).toEqual([
      1,
      `${path} exists. Choose another file with --output.\n`,
    ]);
    const all = await runCommand(['subscribers', 'export', '--format', 'listmonk'], settings);
    expect([all.code, all.stderr]).toEqual([2, expect.stringContaining('needs --active')]);
  });
});
