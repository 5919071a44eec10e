import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyDemonstration } from '#tests/support/demonstration.ts';
import { isLocked } from '#tests/support/is-locked.ts';
import { listenTo } from '#tests/support/product.ts';
import { folderForTests } from '#tests/support/shared.ts';
import { npmCommand } from '../../scripts/programs.mjs';
import { ROOT } from '../../scripts/set-up.mjs';

describe.runIf(process.platform === 'linux')('npm start', () => {
  const data = folderForTests();
  const database = join(data, 'database');
  beforeAll(() => copyDemonstration(data));

  /** Runs `npm start` as a terminal does, with a process group of its own, until it serves the page. */
  async function start(): Promise<{ npm: ChildProcess; kill(signal: NodeJS.Signals): Promise<void> }> {
    const [program = '', ...parameters] = npmCommand();
    const { PATH, HOME } = process.env;
    const npm = spawn(program, [...parameters, 'start'], {
      cwd: ROOT,
      detached: true,
      env: { PATH, HOME, PORT: '0', BAROMETER_DATA_DIR: data },
    });
    // Ends when the last process of the group has closed its output.
    const { address, ended } = listenTo(npm);
    await address;
    return {
      npm,
      kill: async (signal) => {
        process.kill(-(npm.pid ?? 0), signal);
        await ended;
      },
    };
  }

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'leaves no Postgres after %s to all its processes',
    async (signal) => {
      const { kill } = await start();
      expect(isLocked(database)).toBe(true);
      await kill(signal);
      expect(isLocked(database)).toBe(false);
    },
  );

  it('leaves no Postgres after SIGTERM to npm alone', async () => {
    const { npm } = await start();
    const ended = once(npm, 'close');
    npm.kill('SIGTERM');
    await ended;
    expect(isLocked(database)).toBe(false);
  });

  it('uses the Postgres of a killed one, and stops it', async () => {
    const killed = await start();
    await killed.kill('SIGKILL');
    expect(isLocked(database)).toBe(true);
    const { kill } = await start();
    await kill('SIGINT');
    expect(isLocked(database)).toBe(false);
  });
});
