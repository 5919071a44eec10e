import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { addressOf } from '#database/embedded/server.ts';
import { noise } from '#tests/support/bars.ts';
import { bundleChild, lostFrom, preload } from '#tests/support/bundled-child.ts';
import { hasCompiler } from '#tests/support/debian.ts';
import { copyTemplate } from '#tests/support/embedded.ts';
import { startChild } from '#tests/support/kill-rounds.ts';
import { copyData } from '#tests/support/postgres.ts';
import { shared } from '#tests/support/shared.ts';
import { ROOT } from '../../scripts/set-up.mjs';

const INSERTS = 100;
/** Size of the part of a file that a disk writes whole (bytes). */
const SECTOR = 512;

const isPossible = process.platform === 'linux' && hasCompiler();
const title = isPossible
  ? 'a loss of power'
  : 'a loss of power (needs Linux and the Debian packages gcc and libc6-dev)';

describe.runIf(isPossible)(title, () => {
  const bundled = shared(bundleChild);
  let parent: string;
  let layer: string;

  beforeAll(async () => {
    parent = bundled.parent;
    layer = join(parent, 'layer.so');
    execFileSync('cc', ['-shared', '-fPIC', '-o', layer, join(ROOT, 'tests/support/power-loss.c')]);
  });

  /** Inserts, with a checkpoint halfway, until the power fails. Returns the confirmed addresses. */
  async function insertUntilPowerFails(folder: string, disk: string): Promise<string[]> {
    const live = join(folder, 'data');
    copyData(live, disk);
    // Postgres copies what it syncs from `live` to `disk`.
    await preload(bundled.run, `LD_PRELOAD='${layer}' LIVE='${live}' DISK='${disk}'`);
    const { child, ended, lines } = startChild(bundled.run, 'subscribe', folder);
    const confirmed: string[] = [];
    for await (const line of lines) {
      if (line !== 'open') confirmed.push(line);
      if (confirmed.length === INSERTS / 2) {
        const client = new Client({ ...addressOf(folder) });
        await client.connect();
        await client.query('checkpoint');
        await client.end();
      }
      if (confirmed.length === INSERTS) child.kill('SIGKILL');
    }
    await ended;
    process.kill(Number.parseInt(readFileSync(join(live, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
    // All processes of Postgres hold this lock.
    execFileSync('flock', [live, 'true']);
    return confirmed;
  }

  /** Returns the confirmed addresses that the data has lost. */
  async function lost(confirmed: readonly string[], data: string): Promise<string[]> {
    const folder = join(parent, 'after');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    copyData(data, join(folder, 'data'));
    return lostFrom(folder, confirmed);
  }

  it('loses no confirmed subscriber, if none or some of the other writes reached the disk', async () => {
    const [folder, disk] = [join(parent, 'on'), join(parent, 'on-disk')];
    await copyTemplate(folder);
    const confirmed = await insertUntilPowerFails(folder, disk);
    expect(confirmed.length).toBeGreaterThanOrEqual(INSERTS);
    expect(await lost(confirmed, disk)).toEqual([]);
    for (const seed of [1, 2, 3]) {
      const mixed = join(parent, `mixed-${seed}`);
      copyData(disk, mixed);
      addSomeWrites(join(folder, 'data'), mixed, noise(seed));
      expect(await lost(confirmed, mixed)).toEqual([]);
    }
  });

  it('loses confirmed subscribers without fsync, so this test would notice', async () => {
    const [folder, disk] = [join(parent, 'off'), join(parent, 'off-disk')];
    await copyTemplate(folder);
    appendFileSync(join(folder, 'data', 'postgresql.conf'), '\nfsync = off\n');
    const confirmed = await insertUntilPowerFails(folder, disk);
    expect(await lost(confirmed, disk)).toEqual(confirmed);
  });
});

/** Adds a random half of the sectors and of the new files, which were written but not synced. */
function addSomeWrites(live: string, disk: string, random: () => number): void {
  for (const name of readdirSync(live, { recursive: true, encoding: 'utf8' }).sort()) {
    const [from, to] = [join(live, name), join(disk, name)];
    if (!statSync(from).isFile() || !existsSync(dirname(to))) continue;
    if (!existsSync(to) && random() < 0.5) continue;
    const [written, synced] = [readFileSync(from), existsSync(to) ? readFileSync(to) : Buffer.alloc(0)];
    if (written.equals(synced)) continue;
    const mixed = Buffer.alloc(random() < 0.5 ? written.length : synced.length);
    synced.copy(mixed);
    for (let at = 0; at < mixed.length; at += SECTOR) {
      if (random() < 0.5) written.copy(mixed, at, at, at + SECTOR);
    }
    writeFileSync(to, mixed);
  }
}
