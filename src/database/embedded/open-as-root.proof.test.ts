import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { countMetrics, openingsOfTheseTests, refusal } from '#tests/support/openings.ts';
import { openEmbedded } from './open-embedded.ts';
import { packagedFolder } from './programs.ts';

const { parent, open, copied } = openingsOfTheseTests();

describe.runIf(process.getuid?.() === 0)('root', () => {
  /** A folder that only root can enter, such as root's home. */
  const home = (name: string): string => {
    const path = join(parent, name);
    fs.mkdirSync(path, { mode: 0o700 });
    return path;
  };

  /** Makes `unshare` fail until the end of the test, as container engines do. */
  function blockNamespaces(): void {
    const programs = join(parent, 'programs');
    fs.mkdirSync(programs, { recursive: true });
    fs.writeFileSync(join(programs, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
  }

  it('runs Postgres as an ordinary user in a folder that others can enter', async () => {
    const folder = join(parent, 'roots', 'data', 'database');
    const database = await open(folder, { migrationsFolder: MIGRATIONS });
    expect(await countMetrics(database)).toBe(0);
    expect(fs.statSync(folder).uid).not.toBe(0);
    expect(fs.statSync(join(folder, 'data')).uid).toBe(fs.statSync(folder).uid);
  });

  it('gives a restored backup to the ordinary user', async () => {
    const folder = await copied('restored');
    spawnSync('chown', ['-R', '0:0', folder]);
    expect(await countMetrics(await open(folder))).toBe(0);
    expect(fs.statSync(join(folder, 'data', 'base')).uid).not.toBe(0);
  });

  it('runs Postgres in a user namespace in a folder that only root can enter', async (context) => {
    const folder = join(home('home'), 'database');
    const database = await open(folder, { migrationsFolder: MIGRATIONS }).catch((error: Error) => error);
    if (database instanceof Error) return context.skip('unshare cannot make a user namespace here');
    expect(await countMetrics(database)).toBe(0);
    expect(fs.statSync(join(folder, 'data')).uid).toBe(0);
  });

  it('puts the database elsewhere if it can make no user namespace, and says so', async () => {
    blockNamespaces();
    const [folder, elsewhere] = [join(home('closed'), 'database'), join(parent, 'elsewhere')];
    const reports: string[] = [];
    const options = { elsewhere, report: (sentence: string) => reports.push(sentence) };
    const database = await openEmbedded({ folder, migrationsFolder: MIGRATIONS, ...options });
    expect(reports).toEqual([
      `The database is in ${elsewhere}, because Postgres does not run as root and no other user can enter ${join(folder, '..')}.`,
    ]);
    expect(fs.lstatSync(folder).isSymbolicLink()).toBe(true);
    expect(fs.realpathSync(folder).startsWith(elsewhere)).toBe(true);
    await database.close();
    expect(await countMetrics(await open(folder, options))).toBe(0);
  });

  it('is refused a folder that nobody else can enter, without user namespaces', async () => {
    blockNamespaces();
    const folder = join(home('refused'), 'database');
    expect((await refusal(folder)).message).toBe(
      `Postgres does not run as root, and no other user can enter ${folder}. Start Barometer as another user, or set BAROMETER_DATA_DIR to a folder that others can enter, such as /srv/barometer.`,
    );
  });

  it('copies the programs if the ordinary user cannot enter their folder', async () => {
    const closed = home('packages');
    spawnSync('cp', ['-a', packagedFolder(), closed]);
    const { findPrograms } = await import('./programs.ts');
    const { ordinaryUser } = await import('./user.ts');
    const folder = join(parent, 'copies');
    fs.mkdirSync(folder);
    fs.chmodSync(folder, 0o755);
    const programs = await findPrograms(folder, ordinaryUser('/'), join(closed, 'native'));
    expect(programs.startsWith(folder)).toBe(true);
    expect(await findPrograms(folder, ordinaryUser('/'), join(closed, 'native'))).toBe(programs);
  });
});
