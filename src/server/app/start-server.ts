import type { BlockList } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { pendingMigrations } from '#database/migrate.ts';
import type { Database } from '#database/port.ts';
import { chooseAlerts, confirm, unsubscribe, wantsAlerts } from '#mailer/subscribers/subscription.ts';
import { readSigningKey } from '#mailer/subscribers/token.ts';
import { createServedLedger } from '#record/ledger/served-ledger.ts';
import { countOpenGaps } from '#record/quality.ts';
import { createReadiness } from '../health/readiness.ts';
import { watchWrites } from '../health/writes.ts';
import { fileHeaders, loadClientFiles } from '../http/client-files.ts';
import { OUTPUT_HEADERS } from '../http/open-headers.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import { compressedResource, type Resource } from '../http/resource.ts';
import { createReportTaker } from '../jobs/mail-reports.ts';
import type { Log } from '../log.ts';
import { watchMarket } from '../market-watch.ts';
import { createMetrics, createServerCounts } from '../metrics/metrics.ts';
import { createRunMetrics, type RunMetrics } from '../metrics/run-metrics.ts';
import { createOEmbed } from '../outputs/oembed.ts';
import { openApi } from '../outputs/openapi.ts';
import { createOutputs } from '../outputs/outputs.ts';
import type { Card } from '../page/card/card.ts';
import { drawCard } from '../page/card/draw-card.ts';
import { createPageRenderer } from '../page/page-renderer.ts';
import { createSnapshotReads } from '../page/snapshot-reads.ts';
import { createServerReleases } from '../release/build-release.ts';
import { createDocuments } from '../release/documents.ts';
import { createMethodPage } from '../release/method-page.ts';
import { createPastDays, PAUSE_MS } from '../release/past-days.ts';
import { createQualityPage } from '../release/quality-page.ts';
import { requestKeys } from '../release/read-key.ts';
import { createRecordWeeks } from '../release/record-weeks.ts';
import { createGate } from '../rest/gate.ts';
import { readTables } from '../rest/tables.ts';
import { throttledLog } from '../throttled-log.ts';
import type { ServerState } from './operator-routes.ts';
import { createReportHandler } from './report-route.ts';
import { createApp } from './routes.ts';
import { type EarlyListener, listenEarly } from './starting.ts';

export interface ServerOptions {
  /** A listener that already responds, which the server uses and closes. By default, the server listens itself. */
  readonly listener?: EarlyListener;
  /** The database, with all migrations applied. */
  readonly database: Database;
  readonly migrationsFolder: string;
  /** The folder of the built page, `dist/client`. */
  readonly clientFolder: string;
  readonly config: {
    readonly host: string;
    /** The port to listen on; 0 for any free port. */
    readonly port: number;
    readonly publicUrl: string | null;
    readonly productName: string;
    /** Symbols of the price chart; null for the default symbols. */
    readonly widgetSymbols?: string | null | undefined;
    /** True if subscribers must confirm their address by mail. */
    readonly asksToConfirm?: boolean | undefined;
    /** Token with which other machines may read /metrics. Without it, only this machine may read them. */
    readonly metricsToken?: string | null | undefined;
    /** Token of the endpoint for bounces and complaints. Without it, the endpoint does not exist. */
    readonly reportToken?: string | null | undefined;
    /** Proxies whose X-Forwarded-For header is trusted to name the client. */
    readonly trustedProxies?: BlockList | undefined;
    /** Requests per second that one client may send; 0 or undefined for no limit. */
    readonly ratePerSecond?: number | undefined;
  };
  /** The public key that `loadPublicKey` returns. */
  readonly anonKey: string;
  /**
   * Metrics of the runs in this process, and the number of consecutive missed periods; undefined if the process has no
   * scheduled runs.
   */
  readonly jobs?: { readonly metrics: RunMetrics; readonly missedPeriods: () => number };
  /** The version of Barometer, for the metrics. */
  readonly version?: string;
  /** The built `draw-worker`, which draws the share images. */
  readonly drawWorkerUrl: URL;
  /** Time that a request waits for the next release before it gets the stale one (ms); a second by default. */
  readonly waitMs?: number | undefined;
  /** Calls `tick` every `ms` until stopped, to look for commits; by default a timer. */
  readonly every?: ((ms: number, tick: () => void) => () => void) | undefined;
  /** Returns the current time (epoch milliseconds). */
  readonly now: () => number;
  readonly log: Log;
}

const NO_JOBS = { metrics: createRunMetrics(), missedPeriods: () => 0 };
const PAGE = '/index.html';
const MANIFEST = '/manifest.webmanifest';
const OPENAPI = '/openapi.json';
const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

/** Removes the built page from the files. Returns the page. */
function takePage(files: Map<string, Resource>): string {
  const page = files.get(PAGE);
  if (page === undefined) throw new Error('The built page is missing. Build it with npm run build.');
  files.delete(PAGE);
  return page.content.toString();
}

/** Writes the configured name of the product into the built web manifest. */
async function renameManifest(files: Map<string, Resource>, productName: string): Promise<void> {
  const built = files.get(MANIFEST);
  if (built === undefined) return;
  const names = { name: `${productName} Dashboard`, short_name: productName };
  const manifest = JSON.stringify({ ...JSON.parse(built.content.toString()), ...names }, null, 2);
  files.set(MANIFEST, await compressedResource(`${manifest}\n`, fileHeaders(MANIFEST)));
}

export interface RunningServer {
  readonly url: string;
  /** Reports the server as not ready, and closes each connection after its next response. */
  readonly drain: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Serves the page and its tables until closed. Rejects with `ListenError` if it cannot listen, with the database's
 * error if Postgres is unavailable, and with an `Error` if the page is not built or the database lacks a table.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closePart of closers.splice(0).reverse()) await closePart();
  };
  try {
    return { ...(await startParts(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Starts the parts of a server. For each part that it has started, adds a function to `closers` that stops the part.
 */
async function startParts(
  options: ServerOptions,
  closers: (() => unknown)[],
): Promise<Omit<RunningServer, 'close'>> {
  const { anonKey, config, now, waitMs } = options;
  // The page contains the server's address, so it is prepared after the server has begun to listen.
  const listener = options.listener ?? (await listenEarly({ ...config, log: options.log }));
  const { url } = listener;
  if (options.listener === undefined) closers.push(listener.close);
  const { productName, publicUrl, widgetSymbols, asksToConfirm, trustedProxies, ratePerSecond = 0 } = config;
  const { reportToken = null } = config;
  const { metrics: runs, missedPeriods } = options.jobs ?? NO_JOBS;
  const log = throttledLog(options.log);
  closers.push(log.end);
  const watch = await watchMarket(options);
  closers.push(watch.close);
  const files = await loadClientFiles(options.clientFolder);
  const html = takePage(files);
  await renameManifest(files, productName);
  const { database, canWrite } = watchWrites(options.database);
  const tables = await readTables(database);
  const signingKey = await readSigningKey(database);
  const counts = createServerCounts();
  let state: ServerState = 'ok';
  const pageConfig = { supabaseUrl: publicUrl ?? url, anonKey, productName, widgetSymbols, asksToConfirm };
  const inSnapshot = createSnapshotReads(database);
  const draw = (card: Card) => drawCard(options.drawWorkerUrl, card);
  const releases = createServerReleases({
    inSnapshot,
    countGaps: () =>
      database.transaction((transaction) => countOpenGaps(transaction, now()), { readOnly: true }),
    renderer: createPageRenderer(html, pageConfig, publicUrl),
    productName,
    watch,
    counts,
    now,
    log,
    waitMs,
  });
  closers.push(releases.close);
  const home = `${(publicUrl ?? url).replace(/\/$/, '')}/`;
  const description = JSON.stringify(openApi({ tables, productName, home }));
  files.set(OPENAPI, await compressedResource(description, { ...OUTPUT_HEADERS, ...JSON_TYPE }));
  const outputs = createOutputs({ productName, home, idKey: signingKey, now, log });
  const app = createApp({
    releases,
    recordWeeks: createRecordWeeks({ productName, url: home, draw }),
    documents: new Map([...createDocuments({ productName, url: home, draw, now, log }), ...outputs]),
    oEmbed: createOEmbed({ productName, home, now }),
    openPaths: new Set([...outputs.keys(), '/oembed', OPENAPI]),
    ownDocuments: new Map([
      ['/method', createMethodPage({ database, watch, productName, waitMs, now, log })],
      ['/quality', createQualityPage({ database, watch, productName, waitMs, now, log })],
    ]),
    pastDays: createPastDays({
      ...{ database, inSnapshot, watch, productName, url: home, draw, waitMs, now, log },
      pause: () => delay(PAUSE_MS, undefined, { ref: false }),
    }),
    gate: createGate({ database, tables, publicKey: anonKey, counts: counts.reads, log, waitMs }),
    ledgerFile: createServedLedger({ database, now }),
    keyOf: requestKeys(anonKey),
    counts: counts.reads,
    files,
    links: {
      signingKey,
      productName,
      unsubscribe: (reference) => unsubscribe(database, reference),
      confirm: (reference) => confirm(database, reference),
      wantsAlerts: (reference) => wantsAlerts(database, reference),
      chooseAlerts: (reference, alerts) => chooseAlerts(database, reference, alerts),
    },
    handleReport:
      reportToken === null
        ? undefined
        : createReportHandler(
            {
              token: reportToken,
              take: createReportTaker({ database, signingKey, metrics: runs, now }),
              elapsed: () => performance.now(),
            },
            log,
          ),
    missedPeriods,
    readiness: createReadiness({
      database,
      canWrite,
      pendingMigrations: () => pendingMigrations(database, options.migrationsFolder),
      now,
    }),
    state: () => state,
    metrics: createMetrics({
      ...{ database, runs, counts, http: listener.metrics, missedPeriods, now },
      version: options.version ?? 'unknown',
    }),
    metricsToken: config.metricsToken ?? null,
    trustedProxies,
    rateLimit:
      ratePerSecond === 0
        ? undefined
        : createRateLimit({
            perSecond: ratePerSecond,
            trustedProxies,
            elapsed: () => performance.now(),
            log,
          }),
    log,
  });
  await releases.prepare();
  // Without the database, a server that has just started has no data to serve. Another server may still have a release.
  await database.transaction((transaction) => transaction.query('select 1'));
  // Ends the pending responses before the parts that they need are closed.
  closers.push(listener.close);
  listener.serve(app);
  return {
    url,
    drain: () => {
      state = 'stopping';
      listener.drain();
    },
  };
}
