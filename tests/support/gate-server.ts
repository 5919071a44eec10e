import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseUnavailable } from '#database/failures.ts';
import type { Database } from '#database/port.ts';
import { type RunningServer, type ServerOptions, startServer } from '#server/app/start-server.ts';
import { type EarlyOptions, listenEarly } from '#server/app/starting.ts';
import { SILENT_LOG } from '#server/log.ts';
import { createRunMetrics } from '#server/metrics/counters.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { DRAW_WORKER_URL, MIGRATIONS } from './embedded.ts';

/** The public key of the test servers. */
export const KEY = 'sb_publishable_for-tests';

/** A built page with only the placeholders that the server replaces. */
export const EMPTY_TEMPLATE =
  '<html><head><title>B</title></head><body><!--page--><div id="root"></div><!--/page--></body></html>';

/** A time limit that a busy machine does not reach, for tests of other behaviour. */
export const LONG_WAIT = { waitMs: 300_000 } as const;

/** A database that counts its transactions, and rejects each with `failure` while that is not null. */
export function failingDatabase(database: Database) {
  const state: { failure: Error | null; transactions: number; database: Database } = {
    failure: null,
    transactions: 0,
    database: {
      ...database,
      transaction(work, options) {
        state.transactions += 1;
        return state.failure === null ? database.transaction(work, options) : Promise.reject(state.failure);
      },
    },
  };
  return state;
}

export const AWAY = new DatabaseUnavailable('unreachable', 'The database is away.');

type TestServerOptions = Partial<Omit<ServerOptions, 'config' | 'listener'>> & {
  readonly config?: Partial<ServerOptions['config'] & Pick<EarlyOptions, 'host' | 'port'>>;
};

/** Starts the product's server over a database, with the built page. The options replace its settings one by one. */
export async function startTestServer(database: Database, options: TestServerOptions = {}) {
  const { log = SILENT_LOG } = options;
  const config = {
    ...{ host: '127.0.0.1', port: 0, publicUrl: null, productName: 'Barometer', ratePerSecond: 0 },
    ...{ metricsToken: null, reportToken: null, mailWebhooks: [], trustedProxies: undefined },
    ...{ pagePassword: null, ...options.config },
  };
  const listener = await listenEarly({ ...config, log });
  return startServer({
    ...{ ...LONG_WAIT, database, migrationsFolder: MIGRATIONS, clientFolder: join(ROOT, 'dist', 'client') },
    ...{ anonKey: KEY, drawWorkerUrl: DRAW_WORKER_URL, version: 'unknown', now: Date.now, log },
    jobs: { metrics: createRunMetrics(), missedPeriods: () => 0 },
    ...{ ...options, listener, config },
  }).catch(async (error: unknown) => {
    await listener.close();
    throw error;
  });
}

/** Runs `work` over a new test server, because a running one keeps rows that it has read. */
export async function whileServed<T>(
  database: Database,
  options: TestServerOptions,
  work: (server: RunningServer) => Promise<T>,
): Promise<T> {
  const server = await startTestServer(database, options);
  return work(server).finally(() => server.close());
}

export interface Gate {
  /** The URL of the server, without a trailing slash. */
  url: string;
  close: () => Promise<void>;
}

/** The product's server over a database, with an otherwise empty page. */
export async function serveGate(database: Database, settings: TestServerOptions = {}): Promise<Gate> {
  const clientFolder = mkdtempSync(join(tmpdir(), 'barometer-gate-'));
  writeFileSync(join(clientFolder, 'index.html'), EMPTY_TEMPLATE);
  const server = await startTestServer(database, { clientFolder, waitMs: undefined, ...settings });
  const close = async () => {
    await server.close();
    rmSync(clientFolder, { recursive: true });
  };
  return { url: server.url, close };
}
