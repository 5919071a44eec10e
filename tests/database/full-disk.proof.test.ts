import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundleForNode } from '#tests/support/bundle.ts';
import { copyDemonstration } from '#tests/support/demonstration.ts';
import { copyTemplate } from '#tests/support/embedded.ts';
import { PROGRAM } from '#tests/support/product.ts';
import { folderForTests } from '#tests/support/shared.ts';

/** Option of `unshare` for a mount namespace. Root keeps its user namespace, so that it can read files of other users. */
const MOUNTS = process.getuid?.() === 0 ? '-m' : '-rm';

function mayMount(): boolean {
  if (spawnSync('unshare', [MOUNTS, 'true']).status === 0) return true;
  if (process.env.CI) throw new Error('unshare cannot make a mount namespace, which the tests need.');
  return false;
}

describe('a disk that cannot be written', () => {
  const work = folderForTests();
  const disk = join(work, 'disk');
  mkdirSync(disk);

  /** Runs a shell script with a new file system of this size mounted at `$DISK`. */
  const onDisk = (megabytes: number, script: string, env: Record<string, string>) =>
    new Promise<{ stdout: string; stderr: string }>((resolve) => {
      const mounted = `mount -t tmpfs -o size=${megabytes}m none "$DISK" && ${script}`;
      const { PATH = '' } = process.env;
      const variables = { PATH, NODE: process.execPath, DISK: disk, BAROMETER_DATA_DIR: disk, ...env };
      execFile('unshare', [MOUNTS, 'sh', '-c', mounted], { cwd: work, env: variables }, (_, stdout, stderr) =>
        resolve({ stdout, stderr }),
      );
    });

  it('is the reported reason if it is full before the database is complete', async (context) => {
    if (!mayMount()) return context.skip('unshare cannot make a mount namespace here');
    const { stdout, stderr } = await onDisk(20, '"$NODE" "$PROGRAM" backfill --source simulated', {
      PROGRAM,
    });
    expect([stdout, stderr]).toEqual([
      '',
      `The disk that holds ${join(disk, 'database')} is full. No committed data is lost. Free some space and try again.\n`,
    ]);
  });

  it.for([
    ['without a database', 'true'],
    ['with a database', 'cp -a "$TEMPLATE" "$DISK/database"'],
  ])('is the reported reason if it is read-only, %s', async ([, before], context) => {
    if (!mayMount()) return context.skip('unshare cannot make a mount namespace here');
    const template = join(work, 'read-only');
    if (!existsSync(template)) await copyTemplate(template);
    const script = `${before} && mount -o remount,ro "$DISK" && "$NODE" "$PROGRAM" collect --source simulated`;
    const { stderr } = await onDisk(100, script, { PROGRAM, TEMPLATE: template });
    expect(stderr).toBe(
      `The data folder ${join(disk, 'database')} cannot be written. Give this user the right to write it, or set BAROMETER_DATA_DIR to another folder.\n`,
    );
  });

  it('leaves no file of an interrupted export', async (context) => {
    if (!mayMount()) return context.skip('unshare cannot make a mount namespace here');
    const data = join(work, 'data');
    await copyDemonstration(data);
    const script = '"$NODE" "$PROGRAM" export "$DISK/copy.gz"; ls -A "$DISK"';
    const { stdout, stderr } = await onDisk(1, script, { PROGRAM, BAROMETER_DATA_DIR: data });
    expect(stdout).toBe('');
    const sentence = `The disk that holds ${join(disk, 'copy.gz')} is full. Free some space and export again.`;
    expect(stderr.trim().split('\n').at(-1)).toBe(sentence);
  });

  it('makes the server not ready after a failed insert, until it can write again', async (context) => {
    if (!mayMount()) return context.skip('unshare cannot make a mount namespace here');
    const { program, remove } = await bundleForNode('tests/support/full-disk-child.ts');
    onTestFinished(remove);
    const script = 'cp -a "$TEMPLATE" "$DISK/database" && "$NODE" "$CHILD" "$DISK/database"';
    const template = join(work, 'template');
    await copyTemplate(template);
    const env = { TEMPLATE: template, CHILD: program };
    const { stdout, stderr } = await onDisk(100, script, env);
    const ready = { database: 'ok', writes: 'ok', migrations: 'ok', data: 'none yet' };
    const lines = stdout.trim().split('\n');
    expect([stderr, lines.map((line) => JSON.parse(line))]).toEqual([
      '',
      [
        ['inserted', ready],
        [expect.stringMatching(/^The disk of the database server is full\. /), { ...ready, writes: 'fail' }],
        [{ ...ready, writes: 'fail' }],
        [ready, 'inserted'],
      ],
    ]);
  });
});
