import { join } from 'node:path';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import type { Database, Row } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { pageForProject } from './build-page.ts';
import { copyDemonstration } from './demonstration.ts';
import { freePort } from './free-port.ts';
import { addressFor, HOSTED_KEYS, startHostedDemonstration, startHostedProject } from './hosted-project.ts';
import { hasPostgrest } from './postgrest.ts';
import { startProduct, temporaryFolder } from './product.ts';
import { statementsOf } from './statements.ts';
import { staticHost } from './static-host.ts';

/** Our own server; undefined in deployments without one. */
export interface WayServer {
  /** The complete log of the server since its last start. */
  output(): string;
}

/** A deployment of the page with data. */
export interface Way {
  /** Address of the page. */
  readonly pageUrl: string;
  /** Base address of the tables: `${restUrl}/market_metrics`. */
  readonly restUrl: string;
  readonly anonKey: string;
  /** Rows of the last statement of `before`. */
  readonly found: readonly Row[];
  /**
   * Runs SQL as the owner of the tables, in one transaction, while the page is served. Returns the rows of the last
   * statement.
   */
  readonly sql: (text: string) => Promise<Row[]>;
  /** Null if the deployment has no server of ours. */
  readonly server: WayServer | null;
  /** Makes the page and its tables unreachable while `work` runs. */
  readonly away: (work: () => Promise<unknown>) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface WayOptions {
  /** SQL to run as the owner before the page is served. */
  before?: string;
  /** Environment variables of our own server. */
  settings?: Record<string, string>;
}

export interface WayToServe {
  name: 'embedded' | 'server over Postgres' | 'static build over PostgREST';
  /** True if its programs are available on this machine. In CI they must be. */
  isThere: () => boolean;
  start: (options?: WayOptions) => Promise<Way>;
}

async function runAsOwner(database: Database, text: string): Promise<Row[]> {
  return database.transaction(async (transaction) => {
    let rows: Row[] = [];
    for (const statement of statementsOf(text)) rows = await transaction.query(statement);
    return rows;
  });
}

/** Our server over a data folder. Its address stays the same over restarts. */
async function startServerAt(data: string, settings: Record<string, string>) {
  const start = async () => startProduct(data, { PORT: port, ...settings });
  const port = String(await freePort());
  let product = await start();
  const html = await (await fetch(product.url)).text();
  const [anonKey = ''] = /sb_publishable_[\w-]+/.exec(html) ?? [];
  return {
    page: {
      pageUrl: `${product.url}/`,
      restUrl: `${product.url}/rest/v1`,
      anonKey,
      server: { output: () => product.output() },
      away: async (work: () => Promise<unknown>) => {
        await product.stop();
        await work();
        product = await start();
      },
    },
    stop: () => product.stop(),
  };
}

async function startEmbedded({ before = '', settings = {} }: WayOptions = {}): Promise<Way> {
  const data = temporaryFolder();
  await copyDemonstration(data.path);
  const run = async (text: string) => {
    const database = await openEmbedded({ folder: join(data.path, 'database') });
    return runAsOwner(database, text).finally(() => database.close());
  };
  const found = before === '' ? [] : await run(before);
  const { page, stop } = await startServerAt(data.path, settings);
  return {
    ...page,
    found,
    sql: run,
    stop: async () => {
      await stop();
      data.remove();
    },
  };
}

async function startOverPostgres({ before = '', settings = {} }: WayOptions = {}): Promise<Way> {
  const data = temporaryFolder();
  const postgres = await startHostedDemonstration();
  const url = addressFor(postgres.url, 'postgres');
  const database = await openPostgres({ url, max: 1 });
  const found = await runAsOwner(database, before);
  // Stop without a drain time, because there is no load balancer.
  const ours = { DATABASE_URL: url, DRAIN_SECONDS: '0', ...settings };
  const { page, stop } = await startServerAt(data.path, ours);
  return {
    ...page,
    found,
    sql: (text) => runAsOwner(database, text),
    stop: async () => {
      await stop();
      await database.close();
      await postgres.stop();
      data.remove();
    },
  };
}

async function startStatic({ before = '' }: WayOptions = {}): Promise<Way> {
  const project = await startHostedProject();
  const database = await openPostgres({ url: project.databaseUrl, max: 1 });
  const found = await runAsOwner(database, before);
  const { url } = project.gateway;
  const host = await staticHost(await pageForProject(url, HOSTED_KEYS.anonKey), {});
  return {
    pageUrl: host.url,
    restUrl: `${url}/rest/v1`,
    anonKey: HOSTED_KEYS.anonKey,
    found,
    sql: (text) => runAsOwner(database, text),
    server: null,
    away: async (work) => {
      host.down = true;
      project.gateway.instead = (_, response) => {
        response.destroy();
        return true;
      };
      await work();
      host.down = false;
      project.gateway.instead = null;
    },
    stop: async () => {
      await host.close();
      await database.close();
      await project.stop();
    },
  };
}

/**
 * The deployments of the page, each with the same demonstration data: our server over the embedded database, our server
 * over the Postgres of a hosted project, and a static host with that project as backend.
 */
export const WAYS: readonly WayToServe[] = [
  { name: 'embedded', isThere: () => true, start: startEmbedded },
  { name: 'server over Postgres', isThere: () => true, start: startOverPostgres },
  {
    name: 'static build over PostgREST',
    isThere: hasPostgrest,
    start: startStatic,
  },
];
