import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/names.ts';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import { journalDifferences } from '#tests/support/journal-differences.ts';
import { collectOverTime, examinePublished } from '#tests/support/runs-over-time.ts';
import type { Figure } from './figure.ts';
import { overNewDatabase } from './new-database.ts';

const HOUR = 3_600_000;
const MARKET = { members: fakeMembers(12), first: '2020-01-02' } as const;
const FROM = Date.parse('2025-01-01T05:00:00Z');
const HOURS = 8_760;
/** Number of restarts of the server. */
const STARTS = 12;

/** One provider fails completely in one of ten hours. The hour alone decides which provider fails. */
function failing(now: number): ProviderName | null {
  const hour = Math.floor(now / HOUR);
  const dice = Math.imul(hour ^ (hour >>> 7), 2_654_435_761) >>> 0;
  return dice % 10 === 0 ? (PROVIDER_NAMES[Math.floor(dice / 10) % PROVIDER_NAMES.length] ?? null) : null;
}

const PART = (HOURS / STARTS) * HOUR;
const STRETCHES = Array.from({ length: STARTS }, (_, at) => ({
  from: FROM + at * PART,
  to: FROM + (at + 1) * PART,
}));

/** Collects live data for a year of a moving clock, with faults and without, and checks the results. */
export async function benchYear(): Promise<Figure[]> {
  return [...(await yearWithFaults()), ...(await yearWithoutFaults())];
}

/**
 * Counts the quality events of a year without faults, and the differences of its tables from the journal. Both must be
 * 0.
 */
function yearWithoutFaults(): Promise<Figure[]> {
  return overNewDatabase(async (database) => {
    const runs = await collectOverTime(database, STRETCHES, { ...MARKET, failing: () => null });
    const events = await database.transaction((transaction) =>
      transaction.query('select at, session, kind, input from public.quality_events order by id'),
    );
    for (const event of events) console.error(`WRONG: ${Object.values(event).join(' ')}`);
    const differences = await journalDifferences(database);
    for (const difference of differences) console.error(`WRONG: ${difference}`);
    return [
      { what: 'without faults: runs done', value: runs.done, unit: '' },
      { what: 'without faults: quality events', value: events.length, unit: '', bound: { exactly: 0 } },
      {
        what: 'without faults: row sets that differ from the journal',
        value: differences.length,
        unit: '',
        bound: { exactly: 0 },
      },
    ];
  });
}

function yearWithFaults(): Promise<Figure[]> {
  return overNewDatabase(async (database) => {
    const started = performance.now();
    const runs = await collectOverTime(database, STRETCHES, { ...MARKET, failing });
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
  });
}
