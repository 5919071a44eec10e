import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { bundleChild } from '#tests/support/bundled-child.ts';
import { copyTemplate } from '#tests/support/embedded.ts';
import { isLocked } from '#tests/support/is-locked.ts';
import { KILL_FACTOR, killRounds, startChild } from '#tests/support/kill-rounds.ts';
import { shared } from '#tests/support/shared.ts';

const ROUNDS = 2 * KILL_FACTOR;
const POSTGRES_KILLS = 3;
/** Number of confirmed rows between two kills of Postgres. */
const BETWEEN = 20;

const bundled = shared(bundleChild);

const pidOf = (folder: string): number =>
  Number.parseInt(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8'), 10);

const start = (mode: 'close' | 'hold', folder: string) => startChild(bundled.run, mode, folder);

describe('a process killed while it writes', () => {
  it(`loses no committed row in ${ROUNDS} rounds`, async () => {
    const folder = join(bundled.parent, 'killed');
    await copyTemplate(folder);
    let done = 0;
    let confirmed = 0;
    for await (const round of killRounds(bundled.run, folder, ROUNDS)) {
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

describe.runIf(process.getuid?.() === 0)('a user without a name', () => {
  const UNKNOWN = 54_321;
  const asUnknown = ['setpriv', `--reuid=${UNKNOWN}`, `--regid=${UNKNOWN}`, '--clear-groups'];

  it('makes a database in a user namespace', async (context) => {
    chmodSync(join(bundled.run.program, '..'), 0o755);
    const [setpriv = '', ...parameters] = asUnknown;
    if (spawnSync(setpriv, [...parameters, 'test', '-r', bundled.run.program]).status !== 0) {
      return context.skip('other users cannot read the programs of this clone');
    }
    const place = join(bundled.parent, 'nameless');
    mkdirSync(place);
    chownSync(place, UNKNOWN, UNKNOWN);
    const { lines, ended } = startChild(bundled.run, 'close', join(place, 'database'), 0, asUnknown);
    const said: string[] = [];
    for await (const line of lines) said.push(line);
    await ended;
    if (said[0]?.includes('only for a user with a name')) {
      return context.skip('unshare cannot make a user namespace here');
    }
    expect(said).toEqual(['open']);
    expect(statSync(join(place, 'database', 'data')).uid).toBe(UNKNOWN);
  });
});

describe.runIf(process.getuid?.() === 0)('a data folder of another user', () => {
  it('is refused with one sentence, and stays as it was', async (context) => {
    chmodSync(join(bundled.run.program, '..'), 0o755);
    const asNobody = ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'];
    const [setpriv = '', ...parameters] = asNobody;
    if (spawnSync(setpriv, [...parameters, 'test', '-r', bundled.run.program]).status !== 0) {
      return context.skip('other users cannot read the programs of this clone');
    }
    const folder = join(bundled.parent, 'of-another');
    await copyTemplate(folder);
    spawnSync('chown', ['-R', '54321:54321', folder]);
    const { lines, ended } = startChild(bundled.run, 'close', folder, 0, asNobody);
    const said: string[] = [];
    for await (const line of lines) said.push(line);
    expect(await ended).toBe(1);
    expect(said).toEqual([
      `DatabaseUnavailable: The data folder ${folder} cannot be written. Give this user the right to write it, or set BAROMETER_DATA_DIR to another folder.`,
    ]);
    expect(statSync(join(folder, 'data')).uid).toBe(54_321);
  });
});

describe('a Postgres that is killed', () => {
  it('costs no process its connection, and loses no confirmed row', async () => {
    const folder = join(bundled.parent, 'postgres-killed');
    await copyTemplate(folder);
    const { child, ended, lines } = startChild(bundled.run, 'subscribe', folder);
    const confirmed: string[] = [];
    let reader: Database | undefined;
    const read = async () =>
      reader?.transaction((transaction) =>
        transaction.query<{ email: string }>('select email from email_subscribers'),
      );
    for await (const line of lines) {
      reader ??= await openEmbedded({ folder });
      if (line === 'open') continue;
      confirmed.push(line);
      if (confirmed.length === POSTGRES_KILLS * BETWEEN) child.kill('SIGKILL');
      else if (confirmed.length % BETWEEN === 0) {
        const killed = pidOf(folder);
        process.kill(killed, 'SIGKILL');
        // A connection can outlive its Postgres for a moment, so a read alone does not show that there is a new one.
        await expect.poll(() => pidOf(folder)).not.toBe(killed);
        await expect.poll(() => read().catch(() => undefined)).toBeDefined();
      }
    }
    await ended;
    const present = new Set((await read())?.map(({ email }) => email));
    await reader?.close();
    expect(confirmed.filter((email) => !present.has(email))).toEqual([]);
    expect(confirmed.length).toBeGreaterThanOrEqual(POSTGRES_KILLS * BETWEEN);
  });
});

describe('a database whose creator was killed', () => {
  it('is created by the next process, and outlives that process until another one closes it', async () => {
    const folder = join(bundled.parent, 'incomplete');
    const { child, ended } = start('close', folder);
    const incomplete = () =>
      (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.startsWith('new-'));
    await expect.poll(incomplete, { interval: 5 }).toHaveLength(1);
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(join(folder, 'data'))).toBe(false);

    const holder = start('hold', folder);
    expect(await firstLines(holder.lines)).toEqual(['open']);
    expect(incomplete()).toEqual([]);
    const other = start('close', folder);
    expect(await other.ended).toBe(0);
    expect(isLocked(folder)).toBe(true);

    holder.child.kill('SIGKILL');
    await holder.ended;
    expect(isLocked(folder)).toBe(true);
    const last = start('close', folder);
    // The process ends by itself after `close`.
    expect(await last.ended).toBe(0);
    await expect.poll(() => isLocked(folder)).toBe(false);
  });
});

async function firstLines(lines: AsyncIterable<string>): Promise<string[]> {
  for await (const line of lines) return [line];
  return [];
}
