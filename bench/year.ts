import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/names.ts';
import { openEmbedded } from '#database/embedded/open.ts';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import { collectOverTime, examinePublished } from '#tests/support/runs-over-time.ts';
import type { Figure } from './figure.ts';

const HOUR = 3_600_000;
const MARKET = { members: fakeMembers(12), first: '2020-01-02' } as const;
const FROM = Date.parse('2025-01-01T05:00:00Z');
const HOURS = 8_760;
/** Number of restarts of the server. */
const STARTS = 12;

/** One provider fails completely in one hour of ten. It depends on the hour alone. */
function failing(now: number): ProviderName | null {
  const hour = Math.floor(now / HOUR);
  const dice = Math.imul(hour ^ (hour >>> 7), 2_654_435_761) >>> 0;
  return dice % 10 === 0 ? (PROVIDER_NAMES[Math.floor(dice / 10) % PROVIDER_NAMES.length] ?? null) : null;
}

/** Collects live data for a year of a moving clock, and checks all tables at the end. */
export async function benchYear(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-bench-'));
  const database = await openEmbedded({
    folder: join(folder, 'database'),
    workerUrl: new URL('./embedded-worker.js', import.meta.url),
    migrationsFolder: join('supabase', 'migrations'),
  });
  try {
    const part = (HOURS / STARTS) * HOUR;
    const stretches = Array.from({ length: STARTS }, (_, at) => ({
      from: FROM + at * part,
      to: FROM + (at + 1) * part,
    }));
    const started = performance.now();
    const runs = await collectOverTime(database, stretches, { ...MARKET, failing });
    const seconds = (performance.now() - started) / 1000;
    const published = await examinePublished(database, runs, { ...MARKET, from: FROM });
    for (const fault of published.faults) console.error(`WRONG: ${fault}`);
    const periodsDue = new Set(runs.due).size;
    return [
      { what: 'hours of the clock', value: runs.hours, unit: 'h' },
      { what: 'all runs', value: seconds, unit: 's' },
      { what: 'periods due', value: periodsDue, unit: '' },
      { what: 'runs done', value: runs.done, unit: '', bound: { exactly: periodsDue } },
      { what: 'runs failed, and tried again', value: runs.failed, unit: '' },
      { what: 'sessions expected', value: published.sessionsExpected, unit: '' },
      {
        what: 'sessions in every table',
        value: published.sessionsPresent,
        unit: '',
        bound: { exactly: published.sessionsExpected },
      },
      {
        what: 'gaps, duplicates, wrong values',
        value: published.faults.length,
        unit: '',
        bound: { exactly: 0 },
      },
      ...published.tables.map(({ name, rows, bound }) => ({
        what: `rows of ${name}`,
        value: rows,
        unit: '',
        bound: { atMost: bound },
      })),
    ];
  } finally {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
