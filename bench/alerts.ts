import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPostgres } from '#database/postgres.ts';
import { runAlerts } from '#tests/support/alert-run.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { changesPerYear, closingVerdicts } from '#tests/support/verdict-history.ts';
import type { Figure } from './figure.ts';
import { readBars, readHistory } from './real-history.ts';

const CHANGES = 20;
const KILLS = 100;
const PROGRAM = fileURLToPath(new URL('./alert-child.js', import.meta.url));
const BARS = ['sp500-2013-2018', 'large-caps-2022-2026'];

/**
 * Counts the messages of each channel while three processes are killed, and computes the changes of the verdict per
 * year over real markets.
 */
export async function benchAlerts(data: string): Promise<Figure[]> {
  const postgres = await startPostgres({ isDurable: true });
  try {
    const database = await openPostgres({
      url: postgres.url,
      migrationsFolder: resolve('supabase', 'migrations'),
    });
    try {
      const options = { database, databaseUrl: postgres.url, program: PROGRAM };
      const startedAt = performance.now();
      const run = await runAlerts({ ...options, changes: CHANGES, kills: KILLS });
      const seconds = (performance.now() - startedAt) / 1000;
      const wrong = run.recorded.filter((change, at) => change !== run.planned[at]).length;
      const none = { exactly: 0 };
      return [
        { what: 'changes of the verdict', value: run.recorded.length, unit: '', bound: { exactly: CHANGES } },
        {
          what: 'changes that were not planned: stale, mixed, demonstration',
          value: wrong,
          unit: '',
          bound: none,
        },
        { what: 'processes', value: 3, unit: '' },
        { what: 'kills', value: run.kills, unit: '', bound: { exactly: KILLS } },
        { what: 'changes and channels', value: run.expected, unit: '' },
        { what: 'of these without a message', value: run.missing, unit: '', bound: none },
        { what: 'messages about no change, or to nobody', value: run.unplanned, unit: '', bound: none },
        { what: 'generic calls with a wrong signature', value: run.unsigned, unit: '', bound: none },
        { what: 'deliveries not recorded as sent', value: run.unfinished, unit: '', bound: none },
        {
          what: 'calls repeated with the same id',
          value: run.repeatedCalls,
          unit: '',
          bound: { atMost: KILLS },
        },
        {
          what: 'mails repeated with the same Message-ID',
          value: run.repeatedMails,
          unit: '',
          bound: { atMost: KILLS },
        },
        { what: 'the whole run', value: seconds, unit: 's' },
        ...yearsOf(data),
      ];
    } finally {
      await database.close();
    }
  } finally {
    await postgres.stop();
  }
}

/** The changes of the verdict per year, one figure for each file of real bars. Empty without the data folder. */
function yearsOf(data: string): Figure[] {
  if (data === '') return [];
  return BARS.flatMap((name) => {
    const file = resolve(data, 'bars', name);
    const bars = readBars(`${file}.csv.gz`, `${file}-universe.csv`);
    const history = readHistory(data, bars, bars.sessions.at(-1));
    const sectors = bars.members.map(({ sector }) => sector);
    const { daily, stable } = changesPerYear(closingVerdicts(history, sectors));
    return [
      { what: `${name}, changes a year from close to close`, value: daily, unit: '/year' },
      { what: `${name}, changes a year that stood for two closes`, value: stable, unit: '/year' },
    ];
  });
}
