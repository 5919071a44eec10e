import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { endingAfter } from '#tests/support/collected.ts';
import { copyTemplate, embeddedForTest } from '#tests/support/embedded.ts';
import { runCommand } from '#tests/support/product.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { checkArchive, type Header } from '../../src/cli/transfer/archive.ts';
import { exportDatabase } from '../../src/cli/transfer/copy-tables.ts';
import { digestOf, filledTables, fillTables, importInto, query, quiet } from './full-database.ts';

const temporary = folderForTests();
const at = (name: string) => join(temporary, name);

describe('an archive', () => {
  let source: Database;
  let header: Header;
  const out = at('small');
  /** A migrated database that each test leaves without data. */
  let empty: Database;
  const removals: (() => Promise<void>)[] = [];

  async function newDatabase(): Promise<Database> {
    const { database, remove } = await embeddedForTest();
    removals.push(remove);
    return database;
  }

  beforeAll(async () => {
    [source, empty] = await Promise.all([newDatabase(), newDatabase()]);
    await fillTables(source);
    header = await exportDatabase(source, out, quiet);
  });
  afterAll(() => Promise.all(removals.map((remove) => remove())));

  const archive = () => readFileSync(out);
  const unpacked = () => gunzipSync(archive()).toString();

  /** Writes an archive with changed lines. */
  function rewrite(name: string, change: (lines: string[]) => string[]): string {
    writeFileSync(at(name), gzipSync(change(unpacked().split('\n')).join('\n')));
    return at(name);
  }
  const rewriteHeader = (name: string, change: object) =>
    rewrite(name, ([, ...rows]) => [JSON.stringify({ format: 2, ...header, ...change }), ...rows]);

  it('is imported completely or not at all if the import is stopped', async () => {
    const target = await newDatabase();
    for (const share of [0, 0.5, 1]) {
      const stopping = new AbortController();
      const report = ({ done, total }: { done: number; total: number }) => {
        if (done >= total * share) stopping.abort();
      };
      const stopped = importInto(target, out, { report, signal: stopping.signal });
      if (share < 1)
        await expect(stopped).rejects.toThrow('The command was stopped and changed no data. Run it again.');
      else await stopped;
      expect(await filledTables(target)).toEqual(share < 1 ? [] : await filledTables(source));
    }
    await exportDatabase(target, at('small-again'), quiet);
    expect(digestOf(at('small-again'))).toBe(digestOf(out));
  });

  it('is not imported if the lease is lost or the transaction fails at its end', async () => {
    await expect(importInto(endingAfter(empty, 0), out)).rejects.toThrow('killed');
    const checkHeld = () => Promise.reject(new Error('another process took over'));
    await expect(importInto(empty, out, { checkHeld })).rejects.toThrow('another process took over');
    expect(await filledTables(empty)).toEqual([]);
    expect(await query(empty, 'select from operations.public_key')).toEqual([]);
  });

  it('is not imported into an embedded database if the command is killed', async () => {
    const data = at('embedded-killed');
    const folder = join(data, 'database');
    await copyTemplate(folder);
    const killed = await runCommand(['import', out], { BAROMETER_DATA_DIR: data }, (child) => {
      child.stderr?.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('importing')) child.kill('SIGKILL');
      });
    });
    expect(killed).toMatchObject({ code: null, stdout: '' });
    const target = await openEmbedded({ folder });
    removals.push(() => target.close());
    expect(await filledTables(target)).toEqual([]);
    await importInto(target, out);
  });

  it('is not left behind by an interrupted export', async () => {
    const stopping = new AbortController();
    const report = ({ done, total }: { done: number; total: number }) => {
      if (done > total / 2) stopping.abort();
    };
    const options = { report, signal: stopping.signal };
    await expect(exportDatabase(source, at('interrupted'), options)).rejects.toThrow(
      'The command was stopped',
    );
    expect(readdirSync(temporary).filter((name) => name.startsWith('interrupted'))).toEqual([]);
  });

  it('is never written over a file, through a link or into a missing folder', async () => {
    const notes = at('notes.txt');
    writeFileSync(notes, 'mine');
    await expect(exportDatabase(source, notes, quiet)).rejects.toThrow(
      `${notes} exists already. Name another file.`,
    );
    symlinkSync(notes, at('linked.partial'));
    await expect(exportDatabase(source, at('linked'), quiet)).rejects.toThrow(
      `${at('linked')}.partial exists, because another export is writing it or was killed. If no other export runs, remove the file and export again.`,
    );
    expect(readFileSync(notes, 'utf8')).toBe('mine');
    await expect(exportDatabase(source, join(notes, 'file'), quiet)).rejects.toThrow(
      `${join(notes, 'file')} cannot be written (ENOTDIR). Name a file in an existing folder that this user can write.`,
    );
    await expect(exportDatabase(source, at('nowhere/file'), quiet)).rejects.toThrow('(ENOENT)');
  });

  const flip = (part: number) => {
    const bytes = archive();
    const index = Math.floor((bytes.length - 1) * part);
    bytes[index] = (bytes[index] ?? 0) ^ 4;
    return bytes;
  };
  it.each<[string, () => Uint8Array]>([
    ['a flipped bit in its middle', () => flip(0.5)],
    ['a flipped bit at its end', () => flip(1)],
    ['a missing end', () => archive().subarray(0, -200)],
    ['no content', () => Buffer.alloc(0)],
    ['text that is not compressed', () => Buffer.from(unpacked())],
    ['a line without an end', () => gzipSync(Buffer.alloc(70_000_000), { level: 1 })],
    ['an additional row', () => gzipSync(unpacked().replace('\nt\t', '\nf\tx\nt\t'))],
    ['a missing row', () => gzipSync(unpacked().replace(/[^\n]+\n$/, ''))],
    ['a control character as migration', () => gzipSync(unpacked().replace(header.migration, '\\u001b[2J'))],
  ])('is refused before the import with %s', async (name, damage) => {
    const path = at(name.replaceAll(' ', '-'));
    writeFileSync(path, damage());
    const sentence = `${path} is damaged or not an export. Export again, or use another copy.`;
    await expect(checkArchive(path, quiet)).rejects.toThrow(sentence);
  });

  it('is not imported if it is damaged after the check', async () => {
    const path = at('damaged-at-its-end');
    writeFileSync(path, flip(1));
    await expect(importInto(empty, path)).rejects.toThrow('is damaged');
    expect(await filledTables(empty)).toEqual([]);
  });

  it.each([
    ['a newer', '20990101000000', 'update this installation, and import again'],
    ['an older', '20261120000000', 'update the other installation, and export again'],
  ])('is refused from %s Barometer', async (age, migration, advice) => {
    const path = rewriteHeader(`of ${age}`, { migration });
    await expect(importInto(empty, path)).rejects.toThrow(
      `The export is from ${age} Barometer (migration ${migration}; this one has ${header.migration}): ${advice}.`,
    );
  });

  it('is refused in a newer format, with other tables or with other columns', async () => {
    await expect(importInto(empty, rewriteHeader('format', { format: 3 }))).rejects.toThrow(
      /was written by a newer Barometer\. Update this Barometer/,
    );
    const [settings, ...others] = header.tables;
    const columns = settings?.columns.slice(1);
    for (const [name, tables] of [
      ['renamed', [{ ...settings, name: 'mailer.other' }, ...others]],
      ['columns', [{ ...settings, columns }, ...others]],
    ] as const) {
      await expect(importInto(empty, rewriteHeader(name, { tables }))).rejects.toThrow(
        'The table mailer.settings is different in the export. Both databases must have the same migrations and no other changes.',
      );
    }
  });

  it('changes nothing in a database with other data', async () => {
    const target = await newDatabase();
    await query(target, "insert into email_subscribers (email) values ('own@example.com')");
    await expect(importInto(target, out)).rejects.toThrow(
      'The database has data already (1 row in public.email_subscribers). Import into an empty database.',
    );
    expect(await query(target, 'select email from email_subscribers')).toEqual([
      { email: 'own@example.com' },
    ]);
    expect(await query(target, 'select from operations.public_key')).toEqual([]);
  });

  it('is not imported if the database ends the connection', async () => {
    const target = await newDatabase();
    await target.transaction((transaction) =>
      transaction.script(`
        create function public.leave() returns trigger language plpgsql as $$
        begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
        create trigger leave before insert on collector.series for each row execute function public.leave()`),
    );
    await expect(importInto(target, out)).rejects.toThrow(
      'The database ended the connection (terminating connection due to administrator command). Nothing was imported: import again.',
    );
    expect(await filledTables(target)).toEqual([]);
  });

  it('is not imported if the database refuses or drops a row', async () => {
    const path = rewrite('refused', (lines) => lines.map((line) => line.replace(/\bleft\b/, 'lost')));
    await expect(importInto(empty, path)).rejects.toThrow(
      /^The database refused the rows of public\.email_subscribers: .* violates check constraint/,
    );
    const target = await newDatabase();
    await target.transaction((transaction) =>
      transaction.script(`
        create function public.drop_row() returns trigger language plpgsql as $$ begin return null; end $$;
        create trigger drop_row before insert on collector.series for each row execute function public.drop_row()`),
    );
    await expect(importInto(target, out)).rejects.toThrow(
      "The database kept 0 of 15 rows of collector.series. Remove triggers that are not Barometer's and import again.",
    );
    expect(await filledTables(target)).toEqual([]);
    expect(await filledTables(empty)).toEqual([]);
  });
});
