import type { BlockList } from 'node:net';
import { pendingMigrations } from '#database/migrate.ts';
import { type Database, queryOnce } from '#database/port.ts';
import type { MailWebhook } from '#mailer/reports/mail-services.ts';
import { createSns } from '#mailer/reports/sns.ts';
import { readSigningKey } from '#mailer/subscribers/token.ts';
import { DELAY_NOTE } from '#views/rights-view.ts';
import type { DocumentParts } from '../documents/document.ts';
import { createDocuments } from '../documents/documents.ts';
import { createReadiness, watchWrites } from '../health/readiness.ts';
import { loadBuiltPage } from '../http/page-files.ts';
import { createRateLimit } from '../http/rate-limit.ts';
import { createReportHandler } from '../jobs/mail-reports.ts';
import { type Log, throttledLog } from '../log.ts';
import { watchMarket } from '../market-watch.ts';
import { createServerCounts, type RunMetrics } from '../metrics/counters.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { drawCard } from '../page/card/draw-card.ts';
import { createPageRenderer, type PageConfig } from '../page/served-page.ts';
import { readTables } from '../rest/exposed-tables.ts';
import { createGate } from '../rest/gate.ts';
import { createEntrance } from './entrance.ts';
import { mcpRoute } from './mcp-route.ts';
import { operatorRoutes, type ServerState } from './operator-routes.ts';
import { mailWebhookRoutes, reportRoute } from './report-route.ts';
import { createApp, documentRoutes, fileRoutes } from './routes.ts';
import type { EarlyListener } from './starting.ts';
import { linkRoute } from './subscription-routes.ts';
import { tableRoute } from './table-route.ts';

export interface ServerOptions {
  /** Responds already. The server closes it when it is closed itself. */
  readonly listener: EarlyListener;
  readonly database: Database;
  readonly migrationsFolder: string;
  readonly clientFolder: string;
  readonly config: Pick<PageConfig, 'productName' | 'widgets' | 'widgetSymbols' | 'doubleOptIn'> &
    Pick<DocumentParts, 'rights' | 'publishDelay'> & {
      readonly publicUrl: string | null;
      /** Token with which other machines may read /metrics; null if only this machine may read them. */
      readonly metricsToken: string | null;
      /** Token of the endpoint for bounces and complaints; null for none, without which the endpoint does not exist. */
      readonly reportToken: string | null;
      readonly mailWebhooks: readonly MailWebhook[];
      readonly trustedProxies: BlockList | undefined;
      /** Requests per second that one client may send; 0 for no limit. */
      readonly ratePerSecond: number;
      readonly pagePassword: string | null;
    };
  /** The public key that `loadPublicKey` returns. */
  readonly anonKey: string;
  /** Metrics of the scheduled runs and the number of consecutive missed periods. */
  readonly jobs: { readonly metrics: RunMetrics; readonly missedPeriods: () => number };
  readonly version: string;
  readonly drawWorkerUrl: URL;
  /** Time that a request waits for the next release before it gets the stale one (ms); a second by default. */
  readonly waitMs?: number | undefined;
  /** Calls `tick` every `ms` until stopped, to look for commits; by default a timer. */
  readonly every?: ((ms: number, tick: () => void) => () => void) | undefined;
  readonly now: () => number;
  readonly log: Log;
}

export interface RunningServer {
  readonly url: string;
  readonly paths: readonly (string | RegExp)[];
  /** Reports the server as not ready, and closes each connection after its next response. */
  readonly drain: () => void;
  readonly close: () => Promise<void>;
}

/** Serves the page and its tables until closed. Rejects with a sentence or the database's error. */
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

/** Starts the parts of a server. For each part that it has started, adds a function to `closers` that stops the part. */
async function startParts(
  options: ServerOptions,
  closers: (() => unknown)[],
): Promise<Omit<RunningServer, 'close'>> {
  const { listener, anonKey, config, version, now, waitMs } = options;
  const { metrics: runs, missedPeriods } = options.jobs;
  const { productName, publicUrl, rights, publishDelay, widgetSymbols, doubleOptIn } = config;
  const log = throttledLog(options.log);
  closers.push(log.end);
  const watch = await watchMarket(options);
  closers.push(watch.close);
  const url = publicUrl ?? listener.url;
  const { html, files } = await loadBuiltPage(options.clientFolder, productName);
  const { database, canWrite } = watchWrites(options.database);
  /** Parts that the functions below share. Each function takes those that it needs. */
  const parts = {
    ...{ database, watch, log, now, elapsed: () => performance.now(), waitMs, version },
    ...{ productName, publicUrl, rights, publishDelay, trustedProxies: config.trustedProxies },
    ...{ publicKey: anonKey, signingKey: await readSigningKey(database) },
    ...{ tables: await readTables(database), counts: createServerCounts() },
  };
  // The page shows these settings to everybody. `config` also has secrets.
  const pageConfig = {
    ...{ supabaseUrl: url, anonKey, productName },
    // 'tradingview' is the page's default, so only 'own' is written into it, to save bytes.
    widgets: config.widgets === 'own' ? 'own' : undefined,
    ...{ widgetSymbols, doubleOptIn, ageNote: publishDelay ? DELAY_NOTE : undefined },
  };
  const { releases, documents, tools } = createDocuments({
    ...parts,
    home: `${url.replace(/\/$/, '')}/`,
    renderer: createPageRenderer(html, pageConfig, publicUrl, rights),
    draw: (card) => drawCard(options.drawWorkerUrl, card),
  });
  closers.push(releases.close);
  let state: ServerState = 'ok';
  const operated = {
    ...{ missedPeriods, metricsToken: config.metricsToken, state: () => state },
    readiness: createReadiness({
      ...{ ...parts, canWrite },
      pendingMigrations: () => pendingMigrations(database, options.migrationsFolder),
    }),
    metrics: createMetrics({ ...parts, runs, http: listener.metrics, missedPeriods }),
  };
  const reports = { ...parts, metrics: runs };
  const { reportToken: token, mailWebhooks: webhooks, pagePassword: password, ratePerSecond } = config;
  const routes = [
    ...fileRoutes(files),
    ...documentRoutes(documents, log),
    tableRoute({ ...parts, gate: createGate(parts), releases }),
    mcpRoute({ ...parts, tools }),
    linkRoute(parts),
    ...operatorRoutes(operated),
    ...(token === null ? [] : [reportRoute({ ...parts, token, handle: createReportHandler(reports) })]),
    ...mailWebhookRoutes({ ...reports, webhooks, sns: createSns({ fetch, now }) }),
  ];
  const limitOf = (perSecond: number, reason?: string) => createRateLimit({ ...parts, perSecond, reason });
  const rateLimit = ratePerSecond === 0 ? undefined : limitOf(ratePerSecond);
  const entrance = password === null ? undefined : createEntrance({ ...parts, password, limitOf });
  await releases.prepare();
  // Without the database, a server that has just started has no data to serve. Another server may still have a release.
  await queryOnce(database, 'select 1');
  // Ends the pending responses before the parts that they need are closed.
  closers.push(listener.close);
  listener.serve(createApp({ ...parts, routes, rateLimit, entrance }));
  return {
    url: listener.url,
    paths: routes.map(({ path }) => path),
    drain: () => {
      state = 'stopping';
      listener.drain();
    },
  };
}
