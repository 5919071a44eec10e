import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { type Database, queryOnce } from '#database/port.ts';
import { withLease } from '#server/jobs/lease.ts';
import { bundleChild, lostFrom, preload } from '#tests/support/bundled-child.ts';
import { hasCompiler } from '#tests/support/debian.ts';
import { copyTemplate } from '#tests/support/embedded.ts';
import { startChild } from '#tests/support/kill-rounds.ts';
import { shared } from '#tests/support/shared.ts';
import { ROOT } from '../../scripts/set-up.mjs';

/** Offsets of the clock, in turn (s). */
const JUMPS = [86_400, -86_400, 0];
/** Number of confirmed rows between two jumps. */
const BETWEEN = 20;

const isPossible = process.platform === 'linux' && hasCompiler();
const title = isPossible
  ? 'a clock that jumps'
  : 'a clock that jumps (needs Linux and the Debian packages gcc and libc6-dev)';

describe.runIf(isPossible)(title, () => {
  const bundled = shared(bundleChild);
  let parent: string;
  let library: string;

  beforeAll(async () => {
    parent = bundled.parent;
    library = join(parent, 'shifted-clock.so');
    const offset = `-DOFFSET_FILE="${join(parent, 'offset')}"`;
    const source = join(ROOT, 'scripts', 'shifted-clock.c');
    execFileSync('cc', ['-O2', '-shared', '-fPIC', offset, '-o', library, source]);
    writeFileSync(join(parent, 'offset'), Buffer.alloc(8));
    // The Postgres of the child has this clock too.
    await preload(bundled.run, `LD_PRELOAD='${library}'`);
  });

  /** Shifts the clock of the child and of its Postgres by these seconds. */
  const jumpTo = (seconds: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(seconds));
    // In place, because its readers have mapped the file.
    const file = openSync(join(parent, 'offset'), 'r+');
    writeSync(file, bytes, 0, 8, 0);
    closeSync(file);
  };

  /** Returns the seconds by which the clock of Postgres is ahead. */
  async function ahead(database: Database): Promise<number> {
    const [row] = await queryOnce<{ now: number }>(
      database,
      'select extract(epoch from clock_timestamp())::float8 as now',
    );
    return (row?.now ?? 0) - Date.now() / 1_000;
  }

  it('loses no confirmed row, and keeps no timeout or lease for long', async () => {
    const folder = join(parent, 'database');
    await copyTemplate(folder);
    const preloaded = ['env', `LD_PRELOAD=${library}`];
    const { child, ended, lines } = startChild(bundled.run, 'subscribe', folder, 0, preloaded);
    const confirmed: string[] = [];
    let database: Database | undefined;
    for await (const line of lines) {
      database ??= await openEmbedded({ folder });
      if (line === 'open') continue;
      confirmed.push(line);
      if (confirmed.length === (JUMPS.length + 1) * BETWEEN) child.kill('SIGKILL');
      const offset = JUMPS[confirmed.length / BETWEEN - 1];
      if (offset !== undefined) {
        // A process that was killed before the jump leaves its lease.
        await query(
          database,
          `insert into operations.leases (name, holder, taken_at, held_until)
           values ('collector', 'killed', clock_timestamp(), clock_timestamp() + interval '20 s')`,
        );
        jumpTo(offset);
        expect(Math.abs((await ahead(database)) - offset)).toBeLessThan(60);
        await expect(
          query(database, 'select pg_sleep(60)', { statementTimeoutMs: 100 }),
        ).rejects.toMatchObject({ code: '57014' });
        expect(await withLease(database, { holder: 'next' }, async () => offset)).toBe(offset);
      }
    }
    await ended;
    await database?.close();
    expect(confirmed.length).toBeGreaterThan(JUMPS.length * BETWEEN);
    expect(await lostFrom(folder, confirmed)).toEqual([]);
  });
});

const query = <R extends Record<string, unknown>>(
  database: Database | undefined,
  sql: string,
  options = {},
) => database?.transaction((transaction) => transaction.query<R>(sql), options) ?? Promise.resolve([]);
