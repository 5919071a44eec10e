import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { noise } from '#tests/support/bars.ts';
import { bundleForNode } from '#tests/support/bundle.ts';
import { embeddedTemplate, MIGRATIONS, WORKER_URL } from '#tests/support/embedded.ts';
import { type LiveSettings, type LiveStep, runKilled, runUndisturbed } from '#tests/support/killed-runs.ts';

const MEMBERS = ['AAPL', 'BRK.B', 'CVX', 'DUK', 'JPM', 'MSFT', 'NEE', 'NVDA', 'V', 'XOM'].map(
  (symbol, at) => ({
    symbol,
    name: symbol,
    sector: ['Energy', 'Financials', 'Information Technology', 'Utilities'][at % 4] ?? '',
  }),
);

/**
 * A backfill on a Tuesday evening and runs on the next day. `npm run bench -- kills` kills
 * forty runs, `journal-kills` a thousand.
 * `src/collector/live-runs.test.ts` covers a kill in each transaction within one process.
 */
const STEPS: readonly LiveStep[] = [
  { job: 'backfill', now: '2025-11-25T23:00:00Z', kills: 12 },
  // A price of that day is wrong until the evening, so the next run records corrections.
  {
    job: 'collect',
    now: '2025-11-26T21:30:00Z',
    kills: 8,
    faults: [{ provider: 'alpaca', fault: 'unadjusted split', options: { symbols: ['JPM'] } }],
  },
  { job: 'collect', now: '2025-11-27T01:00:00Z' },
];

let parent: string;
let program: string;

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'barometer-kills-'));
  program = await bundleForNode('tests/support/live-child.ts');
});
afterAll(() => {
  rmSync(parent, { recursive: true, force: true });
  rmSync(join(program, '..'), { recursive: true, force: true });
});

async function settings(name: string): Promise<LiveSettings> {
  const folder = join(parent, name);
  cpSync(await embeddedTemplate(), folder, { recursive: true });
  const worker = fileURLToPath(WORKER_URL);
  return { folder, worker, migrations: MIGRATIONS, members: MEMBERS, first: '2024-11-01', steps: STEPS };
}

it('a process killed 20 times keeps journal and tables equal, and ends like an undisturbed process', async () => {
  const undisturbed = await runUndisturbed(program, await settings('undisturbed'));
  const killed = await runKilled(program, await settings('killed'), {
    lengths: undisturbed.lengths,
    random: noise(20_261_121),
  });
  expect(killed.kills).toBe(20);
  expect([killed.comparisons, killed.differences]).toEqual([21, []]);
  expect(killed.tables).toEqual(undisturbed.tables);
});
