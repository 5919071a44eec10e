// A child process that executes live runs one after another over the embedded database and stub providers, for tests
// that kill it: node entry.js <settings.json> <first step>. It prints each difference between the journal and the tables
// that it finds at its start, then its progress. It waits for a line on its input before each further step.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database } from '#database/port.ts';
import { backfill, collect } from '#tests/support/collect.ts';
import { journalDifferences } from './journal-differences.ts';
import type { LiveSettings } from './killed-runs.ts';
import { logTransactions, say } from './log-transactions.ts';
import { liveOver } from './providers/live.ts';
import { startProviderStubs } from './providers/stubs.ts';

const [file = '', firstStep = '0'] = process.argv.slice(2);
const { folder, migrations, members, first, steps } = JSON.parse(readFileSync(file, 'utf8')) as LiveSettings;
const answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** A digest of a table. It changes with every value of the table. */
interface TableDigest {
  table: string;
  rows: number;
  digest: string;
}

/** Tables about the runs themselves, which depend on the number of kills and commits. */
const NOT_COMPARED = ['collector.runs', 'operations.data_version'];

/**
 * All tables and columns except generated row numbers, whose gaps come from rolled-back transactions. A bar has its
 * symbol instead.
 */
async function digestTables(database: Database): Promise<TableDigest[]> {
  return database.transaction(
    async (transaction) => {
      const tables = await transaction.query<{ name: string }>(
        `select table_schema || '.' || table_name as name from information_schema.tables
         where table_schema in ('public', 'collector', 'operations', 'archive') and table_type = 'BASE TABLE'
         order by name`,
      );
      const digests: TableDigest[] = [];
      for (const { name } of tables.filter((table) => !NOT_COMPARED.includes(table.name))) {
        const rowsOf =
          name === 'collector.bars'
            ? `select to_jsonb(t) - 'symbol_id' || jsonb_build_object('symbol', s.symbol)
               from collector.bars t left join collector.symbols s on s.id = t.symbol_id`
            : `select to_jsonb(t) - 'id' from ${name} t`;
        const [row] = await transaction.query<{ rows: number; digest: string }>(
          `select count(*)::integer as rows, md5(coalesce(string_agg(line, '' order by line), '')) as digest
           from (select md5(each.content::text) as line from (${rowsOf}) as each (content)) as lines`,
        );
        digests.push({ table: name, rows: row?.rows ?? 0, digest: row?.digest ?? '' });
      }
      return digests;
    },
    { readOnly: true },
  );
}

let now = 0;
const stubs = await startProviderStubs({ members, first, now: () => now });
const { fetch } = globalThis;
globalThis.fetch = (...request) => {
  say('asked');
  return fetch(...request);
};
const source = liveOver(stubs, { members, now: () => now });

const database = await openEmbedded({
  folder,
  migrationsFolder: migrations,
});
async function compareJournal(): Promise<void> {
  for (const difference of await journalDifferences(database)) say(`differs ${difference}`);
  say('compared');
}

await compareJournal();
for (const [at, { job, now: instant, faults = [] }] of steps.entries()) {
  if (at < Number(firstStep)) continue;
  now = Date.parse(instant);
  stubs.reset();
  for (const { provider, fault, options } of faults) stubs.fault(provider, fault, options);
  say(`step ${at}`);
  const run = job === 'backfill' ? backfill : collect;
  const { rowsWritten } = await run({ database: logTransactions(database), source, now: () => now });
  say(`done ${at} ${rowsWritten}`);
  await answers.next();
}
await compareJournal();
for (const { table, rows, digest } of await digestTables(database)) say(`table ${table} ${rows} ${digest}`);
await database.close();
await stubs.close();
process.stdin.destroy();
