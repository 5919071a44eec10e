// The product's server in a child process. Batches of `load-batch.ts` are committed to its database: by this process if
// the database is embedded, otherwise by another process.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { openPostgres } from '#database/postgres.ts';
import { startServer } from '#server/app/start-server.ts';
import { listenEarly } from '#server/app/starting.ts';
import { SILENT_LOG } from '#server/log.ts';
import { createRunMetrics } from '#server/metrics/counters.ts';
import { batchRows, writeRows, yearBefore } from './load-batch.ts';

export interface LoadServerSettings {
  /** Null for an embedded database in `folder`. */
  databaseUrl: string | null;
  folder: string;
  apikey: string;
  /** Start of the load: one second before the first batch (epoch ms). */
  epoch: number;
}

export type LoadServerOrder = { start: LoadServerSettings } | { commit: number };
export type LoadServerNews = { url: string } | { confirmedAt: number };

const MIGRATIONS = resolve('supabase', 'migrations');

function openLoaded({ databaseUrl, folder }: LoadServerSettings) {
  if (databaseUrl !== null) return openPostgres({ url: databaseUrl, migrationsFolder: MIGRATIONS });
  return openEmbedded({ folder, migrationsFolder: MIGRATIONS });
}

async function start(settings: LoadServerSettings) {
  const database = await openLoaded(settings);
  for (const rows of yearBefore(settings.epoch)) await writeRows(database, rows);
  const log = SILENT_LOG;
  const place = { publicUrl: null, productName: 'Barometer' };
  const server = await startServer({
    listener: await listenEarly({ ...place, host: '127.0.0.1', port: 0, log }),
    database,
    migrationsFolder: MIGRATIONS,
    clientFolder: resolve('dist', 'client'),
    config: {
      ...{ ...place, metricsToken: null, reportToken: null, mailWebhooks: [], ratePerSecond: 0 },
      ...{ trustedProxies: undefined, pagePassword: null },
    },
    jobs: { metrics: createRunMetrics(), missedPeriods: () => 0 },
    version: 'unknown',
    anonKey: settings.apikey,
    drawWorkerUrl: pathToFileURL(resolve('dist', 'server', 'draw-worker.js')),
    now: Date.now,
    log,
  });
  return { database, epoch: settings.epoch, server };
}

const tell = (news: LoadServerNews) => process.send?.(news);

let started: ReturnType<typeof start> | null = null;

async function obey(order: LoadServerOrder): Promise<void> {
  if ('start' in order) {
    started = start(order.start);
    tell({ url: (await started).server.url });
  } else if (started !== null) {
    const { database, epoch } = await started;
    tell({ confirmedAt: await writeRows(database, batchRows(order.commit, epoch)) });
  }
}

async function end(): Promise<void> {
  const running = await started;
  await running?.server.close();
  await running?.database.close();
  process.exit(0);
}

process.on('message', (order: LoadServerOrder) => {
  obey(order).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
// Ctrl-C in a terminal also reaches this process, but the parent process stops it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', end).on('disconnect', end);
