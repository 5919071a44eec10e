import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundleChild, lostFrom } from '#tests/support/bundled-child.ts';
import { copyTemplate } from '#tests/support/embedded.ts';
import { startChild } from '#tests/support/kill-rounds.ts';
import { shared } from '#tests/support/shared.ts';

const INSERTS = 1_000;
/** Number of inserts of a container before it is killed. */
const BEFORE_KILL = 150;

/** Runs a program as process 1 of a new PID namespace, as a container does. It ends with `unshare`. */
const IN_PID_NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

/** True if this user may make PID namespaces. Throws in CI if not. */
function hasPidNamespaces(): boolean {
  const [program = '', ...parameters] = IN_PID_NAMESPACE;
  if (spawnSync(program, [...parameters, 'true']).status === 0) return true;
  if (process.env.CI) throw new Error('unshare cannot make a PID namespace, which the tests need.');
  return false;
}

const bundled = shared(bundleChild);
/** Number of Postgres servers that run in the folder, in all containers. */
const serversOf = (folder: string): number =>
  readdirSync('/proc').filter((name) => {
    try {
      const [program, , data] = readFileSync(join('/proc', name, 'cmdline'), 'utf8').split('\0');
      return program?.endsWith('/bin/postgres') && data === join(folder, 'data');
    } catch {
      return false;
    }
  }).length;

it(`two containers on one folder lose none of ${INSERTS} committed inserts if one is killed [T23]`, async (context) => {
  if (!hasPidNamespaces()) return context.skip('unshare cannot make a PID namespace here');
  const folder = join(bundled.parent, 'database');
  await copyTemplate(folder);

  let started = 0;
  const acknowledged: string[] = [];
  const start = async () => {
    started += 1;
    const { child, ended, lines } = startChild(bundled.run, 'subscribe', folder, started, IN_PID_NAMESPACE);
    const iterator = lines[Symbol.asyncIterator]();
    const line = async () => (await iterator.next()).value as string | undefined;
    expect(await line()).toBe('open');
    return {
      /** Waits for this many inserts, or for the end of the container. */
      insert: async (count: number) => {
        for (let left = count; left > 0; left -= 1) {
          const email = await line();
          if (email === undefined) return;
          acknowledged.push(email);
        }
      },
      kill: async () => {
        child.kill('SIGKILL');
        await ended;
      },
    };
  };
  // The first container starts Postgres, which ends with it. The second one then starts the next.
  let holder = await start();
  while (acknowledged.length < INSERTS) {
    const other = await start();
    expect(serversOf(folder)).toBe(1);
    await Promise.all([holder.insert(BEFORE_KILL), other.insert(BEFORE_KILL)]);
    await Promise.all([holder.kill(), holder.insert(Number.POSITIVE_INFINITY)]);
    await expect.poll(() => serversOf(folder)).toBe(1);
    holder = other;
  }
  await Promise.all([holder.kill(), holder.insert(Number.POSITIVE_INFINITY)]);

  expect(await lostFrom(folder, acknowledged)).toEqual([]);
  expect(new Set(acknowledged).size).toBeGreaterThanOrEqual(INSERTS);
});
