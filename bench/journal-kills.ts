import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sessionClose, sessionsBetween } from '#domain/calendar/sessions.ts';
import { noise } from '#tests/support/bars.ts';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import {
  type KilledRuns,
  type LiveSettings,
  type LiveStep,
  runKilled,
  runUndisturbed,
} from '#tests/support/killed-runs.ts';
import type { Figure } from './figure.ts';

/** Number of databases, each with its own sequence of kills. */
const DATABASES = 10;
const KILLS_EACH = 100;
const KILLS_A_STEP = 4;
const MINUTE = 60_000;

/** A first fill, then the two evening runs of each session. In every third run a price is wrong, which the next one corrects. */
function steps(): LiveStep[] {
  const evenings = sessionsBetween('2024-11-26', '2025-01-31').flatMap((session) =>
    [30, 240].map((minutes) => sessionClose(session) + minutes * MINUTE),
  );
  const wrong = { provider: 'alpaca', fault: 'unadjusted split', options: { symbols: ['S01'] } } as const;
  const first: LiveStep = { job: 'backfill', now: '2024-11-25T23:00:00Z', kills: KILLS_A_STEP };
  const others = evenings.slice(0, KILLS_EACH / KILLS_A_STEP - 1).map(
    (now, at): LiveStep => ({
      job: 'collect',
      now: new Date(now).toISOString(),
      kills: KILLS_A_STEP,
      faults: at % 3 === 1 ? [wrong] : [],
    }),
  );
  return [first, ...others];
}

/** Kills a publishing process a thousand times, and compares the journal with the tables after each kill. */
export async function benchJournalKills(): Promise<Figure[]> {
  const parent = mkdtempSync(join(tmpdir(), 'barometer-bench-'));
  const program = fileURLToPath(new URL('./live-child.js', import.meta.url));
  const settingsIn = (folder: string): LiveSettings => ({
    folder: join(parent, folder),
    migrations: resolve('supabase', 'migrations'),
    members: fakeMembers(10),
    first: '2024-11-01',
    steps: steps(),
  });
  const started = performance.now();
  try {
    const undisturbed = await runUndisturbed(program, settingsIn('undisturbed'));
    const waiting = Array.from({ length: DATABASES }, (_, at) => at);
    const done: KilledRuns[] = [];
    const work = async () => {
      for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
        const options = { lengths: undisturbed.lengths, random: noise(20_261_123 + at) };
        done.push(await runKilled(program, settingsIn(`killed-${at}`), options));
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, work));
    const differences = done.flatMap((each) => each.differences);
    for (const difference of differences) console.error(`WRONG: ${difference}`);
    const sum = (of: (runs: KilledRuns) => number) => done.reduce((total, runs) => total + of(runs), 0);
    const kills = sum((runs) => runs.kills);
    const comparisons = sum((runs) => runs.comparisons);
    const other = sum(({ tables }) => undisturbed.tables.filter((table) => !tables.includes(table)).length);
    return [
      { what: 'kills', value: kills, unit: '', bound: { exactly: DATABASES * KILLS_EACH } },
      ...['asked', 'begun', 'worked', 'done'].map((moment) => ({
        what: `killed after "${moment}"`,
        value: sum(({ moments }) => moments[moment] ?? 0),
        unit: '',
      })),
      {
        what: 'comparisons of the journal with the tables',
        value: comparisons,
        unit: '',
        bound: { exactly: kills + DATABASES },
      },
      {
        what: 'row sets that differ from the journal',
        value: differences.length,
        unit: '',
        bound: { exactly: 0 },
      },
      { what: 'tables that differ from an undisturbed run', value: other, unit: '', bound: { exactly: 0 } },
      { what: 'in all', value: (performance.now() - started) / 1000, unit: 's' },
    ];
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}
