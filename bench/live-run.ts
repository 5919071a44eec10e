// One live run in a child process, so that its memory can be measured: node live-run.js <settings.json>. Prints time and
// memory as JSON.
import { readFileSync } from 'node:fs';
import { backfill, collect } from '#collector/collect.ts';
import type { ProviderCalls } from '#collector/providers/http-client.ts';
import { openEmbedded } from '#database/embedded/open.ts';
import type { Member } from '#domain/market-history.ts';
import { liveOver } from '#tests/support/providers/live.ts';
import type { ProviderStubs } from '#tests/support/providers/stubs.ts';

export interface LiveRunSettings {
  folder: string;
  members: readonly Member[];
  urls: ProviderStubs['urls'];
  job: 'backfill' | 'collect';
  /** Fixed time of the run (epoch ms). */
  now: number;
}

export interface LiveRunFigures {
  seconds: number;
  /** Peak resident memory, including the process and its database (bytes). */
  peak: number;
  rowsWritten: number;
  calls: readonly ProviderCalls[];
  notes: readonly string[];
}

const { folder, members, urls, job, now } = JSON.parse(
  readFileSync(process.argv[2] ?? '', 'utf8'),
) as LiveRunSettings;
const database = await openEmbedded({
  folder,
  workerUrl: new URL('./embedded-worker.js', import.meta.url),
  migrationsFolder: 'supabase/migrations',
});
const source = liveOver({ urls }, { members, now: () => now });
const started = performance.now();
const run = job === 'backfill' ? backfill : collect;
const { rowsWritten, providers, notes } = await run({ database, source, now: () => now });
const figures: LiveRunFigures = {
  seconds: (performance.now() - started) / 1000,
  peak: process.resourceUsage().maxRSS * 1024,
  rowsWritten,
  calls: providers,
  notes: notes.flatMap(({ first }) => first.slice(0, 3)),
};
console.log(JSON.stringify(figures));
await database.close();
