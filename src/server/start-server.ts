import type { RequestListener } from 'node:http';
import type { BlockList } from 'node:net';
import { pendingMigrations } from '#database/migrate.ts';
import type { Database } from '#database/port.ts';
import { withShortTimeout } from '#database/short-timeout.ts';
import { confirm, unsubscribe } from '#mailer/subscribers/subscription.ts';
import { readSigningKey } from '#mailer/subscribers/token.ts';
import { calmLog } from './calm-log.ts';
import { createReadiness } from './health/readiness.ts';
import { watchWrites } from './health/writes.ts';
import { createApp } from './http/app.ts';
import { fileHeaders, loadClientFiles } from './http/client-files.ts';
import type { ServerState } from './http/health-routes.ts';
import { HstsResponse } from './http/hsts-response.ts';
import { listen } from './http/listen.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { compressedResource, type Resource } from './http/resource.ts';
import type { Log } from './log.ts';
import { type MarketWatch, watchMarket } from './market-watch.ts';
import { createMetrics, createServerCounts } from './metrics/metrics.ts';
import { createRunMetrics, type RunMetrics } from './metrics/run-metrics.ts';
import { drawCard } from './page/card/draw-card.ts';
import { createPageRenderer } from './page/page-renderer.ts';
import { createSnapshotReads } from './page/snapshot-reads.ts';
import { readTemplate, type Template } from './page/template.ts';
import { nameManifest } from './page/web-manifest.ts';
import { createServerReleases } from './release/build-release.ts';
import { createDocuments } from './release/documents.ts';
import { requestKeys } from './release/read-key.ts';
import { createGate } from './rest/gate.ts';
import { readTables } from './rest/tables.ts';

export interface ServerOptions {
  /** Migrated already. */
  readonly database: Database;
  /** What it was migrated with. */
  readonly migrationsFolder: string;
  /** The built page, `dist/client`. */
  readonly clientFolder: string;
  readonly config: {
    readonly host: string;
    /** 0 for any free one. */
    readonly port: number;
    readonly publicUrl: string | null;
    readonly productName: string;
    /** Of the price chart; null for those of the product. */
    readonly widgetSymbols?: string | null | undefined;
    /** Whether a subscriber is asked to confirm by mail, which the page then says. */
    readonly asksToConfirm?: boolean | undefined;
    /** Who may read /metrics from another machine; null for nobody. */
    readonly metricsToken?: string | null | undefined;
    /** The proxies before this server, which tell it who asks; nobody when absent. */
    readonly trustedProxies?: BlockList | undefined;
    /** Requests a second of one client; 0, or absent, for as many as it likes. */
    readonly ratePerSecond?: number | undefined;
  };
  /** The public key, from `agreePublicKey`. */
  readonly anonKey: string;
  /** The runs of this process, and how many periods in a row are missed; absent where it runs nothing. */
  readonly jobs?: { readonly metrics: RunMetrics; readonly missedPeriods: () => number };
  /** The built `draw-worker`, which draws the picture of the current reading. */
  readonly drawWorkerUrl: URL;
  /** How long a request waits for the next release before it gets the stale one; a second if not given. */
  readonly waitMs?: number | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
}

const NO_JOBS = { metrics: createRunMetrics(), missedPeriods: () => 0 };
const PAGE = '/index.html';
const MANIFEST = '/manifest.webmanifest';

/** Takes the built page out of the files. */
function takeTemplate(files: Map<string, Resource>): Template {
  const page = files.get(PAGE);
  if (page === undefined) throw new Error('There is no built page; make it with npm run build.');
  files.delete(PAGE);
  return readTemplate(page.content.toString());
}

/** Puts the deployment's name of the product into the built web manifest. */
async function renameManifest(files: Map<string, Resource>, productName: string): Promise<void> {
  const manifest = files.get(MANIFEST);
  if (manifest === undefined) return;
  const renamed = nameManifest(manifest.content.toString(), productName);
  files.set(MANIFEST, await compressedResource(renamed, fileHeaders(MANIFEST)));
}

function rateLimitOf({ ratePerSecond = 0, trustedProxies }: ServerOptions['config'], log: Log) {
  if (ratePerSecond === 0) return undefined;
  return createRateLimit({ perSecond: ratePerSecond, trustedProxies, elapsed: () => performance.now(), log });
}

export interface RunningServer {
  readonly url: string;
  /** Says by its readiness that it is about to end, and keeps no connection longer than for an answer. */
  readonly drain: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Serves the page and its tables until closed. Throws `ListenError` when it
 * cannot listen, what a Postgres that is away throws, and plain errors when the page is not built or the
 * database lacks a table.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const watch = await watchMarket(options);
  const log = calmLog(options.log);
  const end = async () => {
    await watch.close();
    log.end();
  };
  try {
    return await serveWatched({ ...options, log }, watch, end);
  } catch (error) {
    await end();
    throw error;
  }
}

async function serveWatched(
  options: ServerOptions,
  watch: MarketWatch,
  end: () => Promise<void>,
): Promise<RunningServer> {
  const { anonKey, config, now, log, waitMs } = options;
  const { database, canWrite } = watchWrites(options.database);
  let state: ServerState = 'starting';
  const { metrics: runs, missedPeriods } = options.jobs ?? NO_JOBS;
  const { productName, publicUrl, widgetSymbols, asksToConfirm } = config;
  const files = await loadClientFiles(options.clientFolder);
  const template = takeTemplate(files);
  await renameManifest(files, productName);
  const tables = await readTables(database);
  const counts = createServerCounts();
  const gate = createGate({
    database,
    tables,
    publicKey: anonKey,
    counts: counts.reads,
    log,
    patienceMs: waitMs,
  });
  const signingKey = await readSigningKey(database);
  // The page contains the address of the server, so the app is created once the server listens: before any request.
  let app: RequestListener = () => undefined;
  const listening = await listen((...exchange) => app(...exchange), config.host, config.port, {
    Response: publicUrl?.startsWith('https:') ? HstsResponse : undefined,
    onRefused: (limit) => log.warn('connection refused', { limit }),
  });
  const pageConfig = {
    supabaseUrl: publicUrl ?? listening.url,
    anonKey,
    productName,
    widgetSymbols,
    asksToConfirm,
  };
  const releases = createServerReleases({
    inSnapshot: createSnapshotReads(database, tables),
    renderer: createPageRenderer({ template, config: pageConfig, publicUrl }),
    productName,
    watch,
    counts,
    now,
    log,
    waitMs,
  });
  app = createApp({
    releases,
    documents: createDocuments({
      productName,
      draw: (card) => drawCard(options.drawWorkerUrl, card),
      now,
      log,
    }),
    rest: { gate, releases, keyOf: requestKeys(anonKey), counts: counts.reads },
    files,
    links: {
      signingKey,
      productName,
      unsubscribe: (reference) => unsubscribe(database, reference),
      confirm: (reference) => confirm(database, reference),
    },
    missedPeriods,
    readiness: createReadiness({
      database: withShortTimeout(database),
      canWrite,
      pendingMigrations: () => pendingMigrations(withShortTimeout(database), options.migrationsFolder),
      now,
    }),
    state: () => state,
    metrics: createMetrics({
      database: withShortTimeout(database),
      runs,
      counts,
      missedPeriods,
      now,
    }),
    metricsToken: config.metricsToken ?? null,
    trustedProxies: config.trustedProxies,
    rateLimit: rateLimitOf(config, log),
    log,
  });
  const close = async () => {
    releases.close();
    await listening.close();
    await end();
  };
  try {
    await releases.prepare();
    // A server whose database went away meanwhile has nothing to serve, unlike others that run already.
    await withShortTimeout(database).transaction((transaction) => transaction.query('select 1'));
  } catch (error) {
    await close();
    throw error;
  }
  state = 'ok';
  return {
    url: listening.url,
    drain: () => {
      state = 'stopping';
      listening.drain();
    },
    close,
  };
}
