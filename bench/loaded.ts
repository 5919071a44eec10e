import { resolve } from 'node:path';
import { openPostgres } from '#database/postgres.ts';
import { startChild } from './child.ts';
import { type AtEnd, temporaryFolder } from './ends.ts';
import { batchRows, instantOf, MOST_BATCHES, writeRows } from './load-batch.ts';
import type { LoadedKind, LoadFindings, LoadSettings } from './load-generator.ts';
import type { Commit } from './load-responses.ts';
import type { LoadServerNews, LoadServerOrder } from './load-server.ts';
import { AS_A_BROWSER, pageReads } from './page-reads.ts';

const CONNECTIONS = 64;
const APIKEY = 'sb_publishable_for-the-load';

/** A server under load, and the process that commits to its database. */
export interface Loaded {
  readonly name: string;
  readonly url: string;
  readonly kinds: readonly LoadedKind[];
  /** Start of the load: one second before the first batch (epoch ms). */
  readonly epoch: number;
  /** The commit of the first batch. */
  readonly first: Commit;
  /** Commits the next batch. */
  readonly commit: () => Promise<Commit>;
}

/** Starts the server over a database with a year of data and the first batch. */
export async function startLoaded(name: string, databaseUrl: string | null, atEnd: AtEnd): Promise<Loaded> {
  const epoch = Math.floor(Date.now() / 1000) * 1000;
  const folder = temporaryFolder(atEnd);
  const server = startChild<LoadServerOrder, LoadServerNews>('load-server', atEnd);
  const news = await server.order({ start: { databaseUrl, folder, apikey: APIKEY, epoch } });
  if (!('url' in news)) throw new Error('The server did not report its address.');
  const write = databaseUrl === null ? null : await writerOf(databaseUrl, epoch, atEnd);
  let batch = 0;
  const commit = async (): Promise<Commit> => {
    batch += 1;
    if (batch > MOST_BATCHES) throw new Error(`There are ${MOST_BATCHES} batches at most.`);
    if (write !== null) return { batch, confirmedAt: await write(batch) };
    const confirmed = await server.order({ commit: batch });
    return { batch, confirmedAt: 'confirmedAt' in confirmed ? confirmed.confirmedAt : Number.NaN };
  };
  // Commit the first batch before the kinds are read: on a weekend the page then reads one close less.
  const first = await commit();
  await untilShown(news.url, epoch);
  return { name, url: news.url, kinds: await kindsOf(news.url), epoch, first, commit };
}

async function writerOf(
  url: string,
  epoch: number,
  atEnd: AtEnd,
): Promise<(batch: number) => Promise<number>> {
  const database = await openPostgres({ url, migrationsFolder: resolve('supabase', 'migrations') });
  atEnd(() => database.close());
  return (batch) => writeRows(database, batchRows(batch, epoch));
}

/** Waits until the page shows the first batch, which another process may have committed. */
async function untilShown(url: string, epoch: number): Promise<void> {
  const instant = `"instant":${instantOf(1, epoch)}`;
  while (!(await (await fetch(url)).text()).includes(instant)) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The reads of the page, and as many requests for the page itself. */
async function kindsOf(url: string): Promise<LoadedKind[]> {
  const reads = await pageReads(url, APIKEY, Date.now());
  const page: LoadedKind = { path: '/', headers: AS_A_BROWSER, shows: 'page' };
  const plain: LoadedKind = { ...page, headers: {} };
  return [
    page,
    ...reads.map((asked): LoadedKind => {
      if (asked.headers.prefer?.includes('count')) return { ...asked, shows: 'timeline' };
      return { ...asked, shows: asked.path.includes('created_at=lt.') ? 'earlier' : 'newest' };
    }),
    plain,
  ];
}

export type Generate = (settings: Pick<LoadSettings, 'perSecond' | 'seconds'>) => Promise<LoadFindings>;

/** Starts a load generator in a child process. */
export function generatorOf({ url, kinds, epoch }: Loaded, atEnd: AtEnd): Generate {
  return (settings) =>
    startChild<LoadSettings, LoadFindings>('load-generator', atEnd).order({
      ...{ url, kinds, epoch, connections: CONNECTIONS },
      ...settings,
    });
}
