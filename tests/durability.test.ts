import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleForNode } from './support/bundle.ts';
import { embeddedTemplate, MIGRATIONS, WORKER_URL } from './support/embedded.ts';
import { type ChildProgram, killRounds, startChild } from './support/kill-rounds.ts';

/** A few; `npm run bench -- durability` does fifty. */
const ROUNDS = 4;

let parent: string;
let run: ChildProgram;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'barometer-durability-'));
  const program = await bundleForNode('tests/support/embedded-child.ts');
  run = { program, workerUrl: WORKER_URL, migrationsFolder: MIGRATIONS };
});
afterAll(() => {
  rmSync(parent, { recursive: true, force: true });
  rmSync(join(run.program, '..'), { recursive: true, force: true });
});

const start = (mode: 'close' | 'hold', folder: string) => startChild(run, mode, folder);

describe('a process killed while it writes', () => {
  it(`loses nothing it had confirmed, in ${ROUNDS} rounds`, async () => {
    const folder = join(parent, 'killed');
    cpSync(await embeddedTemplate(), folder, { recursive: true });
    let done = 0;
    let confirmed = 0;
    for await (const round of killRounds(run, folder, ROUNDS)) {
      done += 1;
      expect(round).toMatchObject({ ended: 'SIGKILL', first: 'open', lost: [], halves: 0 });
      expect(round.pairs).toBeGreaterThan(0);
      // What was under way when it was killed may be there: at most one a round.
      expect(round.unconfirmed).toBeLessThanOrEqual(done);
      confirmed = round.confirmed;
    }
    expect(done).toBe(ROUNDS);
    expect(confirmed).toBeGreaterThan(ROUNDS);
  });

  it('while it makes the database leaves nothing that is taken for one', async () => {
    const folder = join(parent, 'unborn');
    const { child, ended } = start('close', folder);
    while (child.exitCode === null && !existsSync(`${folder}.new`))
      await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(`${folder}.new`)).toBe(true);

    const again = start('close', folder);
    expect(await again.ended).toBe(0);
    expect(existsSync(`${folder}.new`)).toBe(false);
  });
});

describe('a process that holds the database', () => {
  it('keeps a second one out with a plain sentence, until it has ended', async () => {
    const folder = join(parent, 'held');
    cpSync(await embeddedTemplate(), folder, { recursive: true });
    const holder = start('hold', folder);
    const [first] = await firstLines(holder.lines);
    expect(first).toBe('open');

    const second = start('close', folder);
    expect(await firstLines(second.lines)).toEqual([
      `DatabaseUnavailable: The database in ${folder} is in use by process ${holder.child.pid}: stop it first, or use another data folder.`,
    ]);
    expect(await second.ended).toBe(1);

    holder.child.kill('SIGKILL');
    await holder.ended;
    expect(existsSync(`${folder}.lock`)).toBe(true);
    const third = start('close', folder);
    expect(await third.ended).toBe(0); // by itself: closing leaves nothing that keeps a process alive
    expect(existsSync(`${folder}.lock`)).toBe(false);
  });
});

async function firstLines(lines: AsyncIterable<string>): Promise<string[]> {
  for await (const line of lines) return [line];
  return [];
}
