import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { noise } from '#tests/support/bars.ts';
import { bundleForNode } from '#tests/support/bundle.ts';
import { copyTemplate, MIGRATIONS } from '#tests/support/embedded.ts';
import { KILL_FACTOR } from '#tests/support/kill-rounds.ts';
import { killRounds, type LiveSettings, type LiveStep, runUndisturbed } from '#tests/support/killed-runs.ts';
import { folderForTests, shared } from '#tests/support/shared.ts';

const MEMBERS = ['AAPL', 'BRK.B', 'CVX', 'DUK', 'JPM', 'MSFT', 'NEE', 'NVDA', 'V', 'XOM'].map(
  (symbol, at) => ({
    symbol,
    name: symbol,
    sector: ['Energy', 'Financials', 'Information Technology', 'Utilities'][at % 4] ?? '',
  }),
);

/**
 * A backfill on a Tuesday evening and runs on the next day.
 * `src/collector/runs/live-runs.test.ts` covers a kill in each transaction within one process.
 */
const STEPS: readonly LiveStep[] = [
  { job: 'backfill', now: '2025-11-25T23:00:00Z', kills: 12 * KILL_FACTOR },
  // A price of that day is wrong until the evening, so the next run records corrections.
  {
    job: 'collect',
    now: '2025-11-26T21:30:00Z',
    kills: 8 * KILL_FACTOR,
    faults: [{ provider: 'alpaca', fault: 'unadjusted split', options: { symbols: ['JPM'] } }],
  },
  { job: 'collect', now: '2025-11-27T01:00:00Z' },
];

const KILLS = 20 * KILL_FACTOR;

const parent = folderForTests();
const child = shared(() => bundleForNode('tests/support/live-child.ts'));
let undisturbed: Awaited<ReturnType<typeof runUndisturbed>>;
let rounds: ReturnType<typeof killRounds>;

beforeAll(async () => {
  undisturbed = await runUndisturbed(child.program, await settings('undisturbed'));
  rounds = killRounds(child.program, await settings('killed'), {
    lengths: undisturbed.lengths,
    random: noise(20_261_121),
  });
});

async function settings(name: string): Promise<LiveSettings> {
  const folder = join(parent, name);
  await copyTemplate(folder);
  return { folder, migrations: MIGRATIONS, members: MEMBERS, first: '2024-11-01', steps: STEPS };
}

// Each kill is a test of its own, because each starts a process: a time limit for all of them would depend on the speed
// of the machine.
it.each(Array.from({ length: KILLS }, (_, at) => at + 1))('a process is killed, round %i', async () => {
  expect((await rounds.next()).done).toBe(false);
});

it('the killed process keeps journal and tables equal, and ends like an undisturbed process', async () => {
  const { done, value: killed } = await rounds.next();
  if (!done) throw new Error('The process was killed more often than planned.');
  expect(killed.kills).toBe(KILLS);
  expect([killed.comparisons, killed.differences]).toEqual([KILLS + 1, []]);
  expect(killed.tables).toEqual(undisturbed.tables);
});
