import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { embeddedTemplate } from '#tests/support/embedded.ts';

const synced: string[] = [];

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  return {
    ...fs,
    fsyncSync: (file: number) => {
      synced.push(
        process.platform === 'linux' ? fs.readlinkSync(`/proc/self/fd/${file}`) : `/pg_wal/base/${file}`,
      );
      fs.fsyncSync(file);
    },
  };
});

describe('the engine writes to the disk', () => {
  let parent: string;
  let pglite: PGlite;
  const syncedBelow = (part: string) => synced.filter((path) => path.includes(`/${part}/`));

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'barometer-engine-'));
    const folder = join(parent, 'database');
    cpSync(await embeddedTemplate(), folder, { recursive: true });
    // Restores the module, because other test files of this worker need the real `node:fs`.
    vi.resetModules();
    const { openEngine } = await import('./engine.ts');
    pglite = await openEngine(folder, () => undefined);
    await pglite.exec('create table notes (id int)');
  });
  afterAll(async () => {
    vi.resetModules();
    await pglite.close();
    rmSync(parent, { recursive: true, force: true });
  });
  beforeEach(() => {
    synced.length = 0;
  });

  it('the write-ahead log before a commit returns', async () => {
    await pglite.exec('begin; insert into notes values (1)');
    expect(syncedBelow('pg_wal')).toEqual([]);
    await pglite.exec('commit');
    expect(syncedBelow('pg_wal').length).toBeGreaterThan(0);
  });

  it('no data for a read', async () => {
    await pglite.query('select 1');
    await pglite.query('select count(*) from notes');
    synced.length = 0;
    await pglite.query('select count(*) from notes');
    expect(synced).toEqual([]);
  });

  it('the tables at a checkpoint', async () => {
    await pglite.exec('insert into notes select * from generate_series(1, 1000); checkpoint');
    expect(syncedBelow('base').length).toBeGreaterThan(0);
  });
});
