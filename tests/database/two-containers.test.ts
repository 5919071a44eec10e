import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open.ts';
import { bundleForNode } from '#tests/support/bundle.ts';
import { embeddedTemplate, MIGRATIONS, WORKER_URL } from '#tests/support/embedded.ts';
import { type ChildProgram, startChild } from '#tests/support/kill-rounds.ts';

const INSERTS = 250;
/** Number of inserts before each of two kills. `npm run bench -- durability` kills 50 processes. */
const BEFORE_KILL = 130;
const REFUSAL =
  /^DatabaseUnavailable: The database in \S+ is in use by process 1: stop that process first, or set another BAROMETER_DATA_DIR\.$/;

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
  parent = mkdtempSync(join(tmpdir(), 'barometer-containers-'));
  const program = await bundleForNode('tests/support/embedded-child.ts');
  run = { program, workerUrl: WORKER_URL, migrationsFolder: MIGRATIONS };
});
afterAll(() => {
  rmSync(parent, { recursive: true, force: true });
  rmSync(join(run.program, '..'), { recursive: true, force: true });
});

it(`two containers on one folder lose none of ${INSERTS} committed inserts if one is killed [T23]`, async (context) => {
  if (!hasPidNamespaces()) return context.skip('unshare cannot make a PID namespace here');
  const folder = join(parent, 'database');
  cpSync(await embeddedTemplate(), folder, { recursive: true });

  let started = 0;
  const start = () => {
    started += 1;
    const child = startChild(run, 'subscribe', folder, started, IN_PID_NAMESPACE);
    const lines = child.lines[Symbol.asyncIterator]();
    return { ...child, line: async () => (await lines.next()).value as string | undefined };
  };
  const acknowledged: string[] = [];
  while (acknowledged.length < INSERTS) {
    const both = [start(), start()];
    const first = await Promise.all(both.map(({ line }) => line()));
    expect(first.toSorted()).toEqual([expect.stringMatching(REFUSAL), 'open']);
    const holder = both[first.indexOf('open')] as (typeof both)[number];
    const refused = both[1 - first.indexOf('open')] as (typeof both)[number];
    expect(await refused.ended).toBe(1);

    const late = start();
    for (let count = 0; count < BEFORE_KILL; count += 1) acknowledged.push((await holder.line()) ?? '');
    expect(await late.line()).toMatch(REFUSAL);
    holder.child.kill('SIGKILL');
    for (let said = await holder.line(); said !== undefined; said = await holder.line())
      acknowledged.push(said);
    await holder.ended;
  }

  const database = await openEmbedded({ folder, workerUrl: WORKER_URL });
  const rows = await database.transaction((transaction) =>
    transaction.query<{ email: string }>('select email from email_subscribers'),
  );
  await database.close();
  const present = new Set(rows.map(({ email }) => email));
  expect(acknowledged.filter((email) => !present.has(email))).toEqual([]);
  expect(new Set(acknowledged).size).toBeGreaterThanOrEqual(INSERTS);
});
