import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { bundleForNode } from '#tests/support/bundle.ts';
import { copyTemplate, databaseParent, MIGRATIONS } from '#tests/support/embedded.ts';
import { type ChildProgram, startChild } from '#tests/support/kill-rounds.ts';

const INSERTS = 1_000;
/** Number of inserts of a container before it is killed. `npm run bench -- durability` kills 50 processes. */
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

let parent: string;
let run: ChildProgram;
beforeAll(async () => {
  parent = databaseParent();
  const program = await bundleForNode('tests/support/embedded-child.ts');
  run = { program, migrationsFolder: MIGRATIONS };
});
afterAll(() => {
  rmSync(parent, { recursive: true, force: true });
  rmSync(join(run.program, '..'), { recursive: true, force: true });
});

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
  const folder = join(parent, 'database');
  await copyTemplate(folder);

  let started = 0;
  const acknowledged: string[] = [];
  const start = async () => {
    started += 1;
    const { child, ended, lines } = startChild(run, 'subscribe', folder, started, IN_PID_NAMESPACE);
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

  const database = await openEmbedded({ folder });
  const rows = await database.transaction((transaction) =>
    transaction.query<{ email: string }>('select email from email_subscribers'),
  );
  await database.close();
  const present = new Set(rows.map(({ email }) => email));
  expect(acknowledged.filter((email) => !present.has(email))).toEqual([]);
  expect(new Set(acknowledged).size).toBeGreaterThanOrEqual(INSERTS);
});
