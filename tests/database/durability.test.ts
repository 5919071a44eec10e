import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleForNode } from '#tests/support/bundle.ts';
import { embeddedTemplate, MIGRATIONS, WORKER_URL } from '#tests/support/embedded.ts';
import { type ChildProgram, killRounds, startChild } from '#tests/support/kill-rounds.ts';

/** `npm run bench -- durability` runs 50 rounds. */
const ROUNDS = 2;

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
  it(`loses no committed row in ${ROUNDS} rounds`, async () => {
    const folder = join(parent, 'killed');
    cpSync(await embeddedTemplate(), folder, { recursive: true });
    let done = 0;
    let confirmed = 0;
    for await (const round of killRounds(run, folder, ROUNDS)) {
      done += 1;
      expect(round).toMatchObject({ ended: 'SIGKILL', first: 'open', lost: [], halves: 0 });
      expect(round.pairs).toBeGreaterThan(0);
      // Each round may leave one row that was committed but not confirmed yet.
      expect(round.unconfirmed).toBeLessThanOrEqual(done);
      confirmed = round.confirmed;
    }
    expect(done).toBe(ROUNDS);
    expect(confirmed).toBeGreaterThan(ROUNDS);
  });
});

describe('a database whose creator was killed', () => {
  it('is created again by the next process, which keeps the lock until it ends', async () => {
    const folder = join(parent, 'incomplete');
    const { child, ended } = start('close', folder);
    await expect
      .poll(() => child.exitCode !== null || existsSync(`${folder}.new`), { interval: 5 })
      .toBe(true);
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(folder)).toBe(false);
    expect(existsSync(`${folder}.new`)).toBe(true);

    const holder = start('hold', folder);
    expect(await firstLines(holder.lines)).toEqual(['open']);
    expect(existsSync(`${folder}.new`)).toBe(false);

    const refused = start('close', folder);
    expect(await firstLines(refused.lines)).toEqual([
      `DatabaseUnavailable: The database in ${folder} is in use by process ${holder.child.pid}: stop that process first, or set another BAROMETER_DATA_DIR.`,
    ]);
    expect(await refused.ended).toBe(1);

    holder.child.kill('SIGKILL');
    await holder.ended;
    expect(readdirSync(`${folder}.lock`)).toHaveLength(1);
    const last = start('close', folder);
    // The process ends by itself after `close`.
    expect(await last.ended).toBe(0);
    expect(readdirSync(`${folder}.lock`)).toEqual([]);
  });
});

async function firstLines(lines: AsyncIterable<string>): Promise<string[]> {
  for await (const line of lines) return [line];
  return [];
}
