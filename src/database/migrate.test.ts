import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databaseOfEachTest } from '#tests/support/database-of-each-test.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { folderForTests, shared } from '#tests/support/shared.ts';
import { migrate } from './migrate.ts';
import { openPostgres } from './postgres.ts';

const parent = folderForTests();

function folderOf(name: string, files: Record<string, string>): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  for (const [file, sql] of Object.entries(files)) writeFileSync(join(folder, file), sql);
  return folder;
}

describe('migrating the embedded database', () => {
  const { database } = databaseOfEachTest();

  it('applies each file once', async () => {
    expect(await migrate(database, MIGRATIONS)).toEqual([]);
    const newer = folderOf('newer', {
      '20990101000000_later.sql': 'create table later (id int); select 1;',
    });
    expect(await migrate(database, newer)).toEqual(['later']);
    await expect(migrate(database, MIGRATIONS)).rejects.toMatchObject({
      reason: 'unusable',
      message: expect.stringContaining('newer Barometer (migration 20990101000000)'),
    });
  });
});

describe('migrating Postgres', () => {
  const server = shared(startPostgres);

  it('lets two processes migrate at the same time', async () => {
    const url = await server.createDatabase('together');
    const databases = await Promise.all([openPostgres({ url }), openPostgres({ url })]);
    const [one = [], other = []] = await Promise.all(
      databases.map((database) => migrate(database, MIGRATIONS)),
    );
    const files = readdirSync(MIGRATIONS);
    expect(new Set([...one, ...other]).size).toBe(files.length);
    expect(one.length + other.length).toBe(files.length);
    await Promise.all(databases.map((database) => database.close()));
  });

  it('rolls back all files if one fails, and runs them again the next time', async () => {
    const database = await openPostgres({ url: await server.createDatabase('failing') });
    const second = '20260102000000_second.sql';
    const folder = folderOf('failing', {
      '20260101000000_first.sql': 'create table first (id int)',
      [second]: 'create table second (id int); select 1 / 0',
    });
    await expect(migrate(database, folder)).rejects.toMatchObject({ code: '22012' });
    writeFileSync(join(folder, second), 'create table second (id int)');
    expect(await migrate(database, folder)).toEqual(['first', 'second']);
    await database.close();
  });

  it('names the rights that the user lacks', async () => {
    await server.run('create role stranger login');
    const foreign = new URL(await server.createDatabase('of_others'));
    foreign.username = 'stranger';
    const opened = openPostgres({ url: foreign.href, migrationsFolder: MIGRATIONS });
    await expect(opened).rejects.toMatchObject({
      reason: 'unusable',
      message: expect.stringMatching(/\(permission denied for .*\)\. Make it the owner of the database/),
    });
  });

  it('names an unreachable server without the password', async () => {
    const url = 'postgres://keeper:hidden@127.0.0.1:1/market';
    await expect(openPostgres({ url })).rejects.toMatchObject({
      reason: 'unreachable',
      message:
        'Postgres at 127.0.0.1:1/market cannot be reached (ECONNREFUSED). Check DATABASE_URL and that the server runs.',
    });
  });
});
