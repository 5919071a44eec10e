import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { killRounds, type Round } from '#tests/support/kill-rounds.ts';
import type { Figure } from './figure.ts';

const ROUNDS = Number(process.env.BAROMETER_BENCH_ROUNDS ?? 50);

/** Repeatedly kills a process that writes to the embedded database, and counts the confirmed rows that are lost. */
export async function benchDurability(): Promise<Figure[]> {
  const parent = mkdtempSync(join(tmpdir(), 'barometer-bench-'));
  const folder = join(parent, 'database');
  const migrationsFolder = resolve('supabase', 'migrations');
  const program = fileURLToPath(new URL('./embedded-child.js', import.meta.url));
  try {
    await (await openEmbedded({ folder, migrationsFolder })).close();
    const rounds: Round[] = [];
    for await (const round of killRounds({ program, migrationsFolder }, folder, ROUNDS)) {
      rounds.push(round);
    }
    const last = rounds.at(-1);
    const killed = rounds.filter(({ ended, first }) => ended === 'SIGKILL' && first === 'open').length;
    return [
      { what: 'processes killed while they wrote', value: killed, unit: '', bound: { exactly: ROUNDS } },
      { what: 'writes they had confirmed', value: last?.confirmed ?? 0, unit: '' },
      {
        what: 'of those lost',
        value: Math.max(...rounds.map(({ lost }) => lost.length)),
        unit: '',
        bound: { exactly: 0 },
      },
      { what: 'transactions of two rows that were whole', value: last?.pairs ?? 0, unit: '' },
      {
        what: 'and half there',
        value: Math.max(...rounds.map(({ halves }) => halves)),
        unit: '',
        bound: { exactly: 0 },
      },
    ];
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}
