import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open.ts';
import type { Database } from '#database/port.ts';
import { bundleForNode } from './support/bundle.ts';
import { embeddedTemplate, MIGRATIONS, WORKER_URL } from './support/embedded.ts';

const ROUNDS = 12;

/** Numbers that look random and never change: a linear congruential generator, 0 to below 1. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

let parent: string;
let program: string;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'barometer-durability-'));
  program = await bundleForNode('tests/support/embedded-child.ts');
});
afterAll(() => {
  rmSync(parent, { recursive: true, force: true });
  rmSync(join(program, '..'), { recursive: true, force: true });
});

function start(mode: 'write' | 'close' | 'hold', folder: string, round = 0) {
  const parameters = [program, mode, folder, fileURLToPath(WORKER_URL), MIGRATIONS, String(round)];
  const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, lines: createInterface({ input: child.stdout }) };
}

/** Kills the child once it has said `count` lines; answers all it had said, to the last one. */
async function killAfter(
  child: ChildProcess,
  lines: AsyncIterable<string>,
  count: number,
): Promise<string[]> {
  const said: string[] = [];
  for await (const line of lines) {
    said.push(line);
    if (said.length === count) child.kill('SIGKILL');
  }
  return said;
}

const readAll = (database: Database) =>
  database.transaction(async (transaction) => ({
    emails: await transaction.query<{ email: string }>('select email from email_subscribers'),
    halves: await transaction.query('select name from collector.series group by name having count(*) <> 2'),
    pairs: await transaction.query('select distinct name from collector.series'),
  }));

describe('a process killed while it writes', () => {
  it(`loses nothing it had confirmed, in ${ROUNDS} rounds`, async () => {
    const folder = join(parent, 'killed');
    cpSync(await embeddedTemplate(), folder, { recursive: true });
    const random = seeded(20_261_120);
    const confirmed = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { child, ended, lines } = start('write', folder, round);
      const said = await killAfter(child, lines, 2 + Math.floor(random() * 60));
      await ended;
      expect(child.signalCode).toBe('SIGKILL');
      expect(said[0]).toBe('open');
      for (const email of said.slice(1)) confirmed.add(email);

      const database = await openEmbedded({ folder, workerUrl: WORKER_URL });
      const { emails, halves, pairs } = await readAll(database);
      await database.close();
      const present = new Set(emails.map(({ email }) => email));
      expect([...confirmed].filter((email) => !present.has(email))).toEqual([]);
      expect(halves).toEqual([]);
      expect(pairs.length).toBeGreaterThan(0);
      // What was under way when it was killed may be there: at most one a round.
      expect(present.size - confirmed.size).toBeLessThanOrEqual(round + 1);
    }
    expect(confirmed.size).toBeGreaterThan(ROUNDS);
  });

  it('while it makes the database leaves nothing that is taken for one', async () => {
    const folder = join(parent, 'unborn');
    const { child, ended } = start('close', folder);
    while (!existsSync(`${folder}.new`)) await new Promise((resolve) => setImmediate(resolve));
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
