// One live run in a child process, so that its memory can be measured: node live-run.js <settings.json>. Prints time and
// memory as JSON.
import { readFileSync } from 'node:fs';
import type { ProviderCalls } from '#collector/providers/provider.ts';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Member } from '#domain/market-history.ts';
import { backfill, collect } from '#tests/support/collect.ts';
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
  /** CPU time of all threads (ms). It does not depend on other programs. */
  cpu: number;
  /** Peak resident memory, including the process and its database (bytes). */
  peak: number;
  rowsWritten: number;
  calls: readonly ProviderCalls[];
  notes: readonly string[];
}

const {
  folder,
  members,
  urls,
  job,
  now: instant,
} = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as LiveRunSettings;
const database = await openEmbedded({
  folder,
  migrationsFolder: 'supabase/migrations',
});
const now = () => instant;
const source = liveOver({ urls }, { members, now });
const started = performance.now();
const cpuBefore = process.cpuUsage();
const run = job === 'backfill' ? backfill : collect;
const { rowsWritten, providers, notes } = await run({ database, source, now });
const { user, system } = process.cpuUsage(cpuBefore);
const figures: LiveRunFigures = {
  seconds: (performance.now() - started) / 1000,
  cpu: (user + system) / 1000,
  peak: process.resourceUsage().maxRSS * 1024,
  rowsWritten,
  calls: providers,
  notes: notes.flatMap(({ first }) => first.slice(0, 3)),
};
console.log(JSON.stringify(figures));
await database.close();
