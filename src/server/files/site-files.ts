import { createHash } from 'node:crypto';
import type { Database } from '#database/port.ts';
import { readSigningKey } from '#mailer/subscribers/token.ts';
import { readFigureYear } from '#queries/read-dashboard.ts';
import { type AnyRead, runRead } from '#queries/read-statement.ts';
import { PAGE_ROWS } from '#queries/table-reads.ts';
import { SHOWN_TABLES } from '#record/ledger/shown.ts';
import { tilePath, tilesOf } from '#record/ledger/tiles.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { DELAY_NOTE, type RightsView } from '#views/rights-view.ts';
import { historyFigures, storedFigure } from '#views/stored-figure.ts';
import { createDocuments } from '../documents/documents.ts';
import { keyOfRead, type Release, rowsOf } from '../documents/release.ts';
import { loadBuiltPage } from '../http/page-files.ts';
import type { Resource } from '../http/response.ts';
import { type Log, SILENT_LOG } from '../log.ts';
import { readDataVersion } from '../market-watch.ts';
import { createServerCounts } from '../metrics/counters.ts';
import type { Card } from '../page/card/card.ts';
import { createPageRenderer, type PageConfig } from '../page/served-page.ts';
import { readTables, type Table } from '../rest/exposed-tables.ts';
import { createSnapshotReads, READ_OPTIONS } from '../rest/read.ts';
import { fileOf, leadTo, linkFiles, withPolicy } from './file-links.ts';
import type { LastSite, SiteFile } from './site-folder.ts';

export interface SiteOptions {
  readonly database: Database;
  readonly clientFolder: string;
  /** The address of the files. */
  readonly url: string;
  /** The hosted backend that the page reads from; null if the page reads from its files. */
  readonly backend: Pick<PageConfig, 'supabaseUrl' | 'anonKey'> | null;
  /** The address of the server at which visitors can subscribe; null if there is none. */
  readonly subscribeAt: string | null;
  readonly page: Omit<PageConfig, 'supabaseUrl' | 'anonKey'>;
  readonly rights: RightsView | null;
  readonly publishDelay: number;
  readonly version: string;
  readonly draw: (card: Card) => Promise<Buffer>;
  /** The time at which the site is written (epoch ms). */
  readonly at: number;
}

/** The file with the responses to the reads of the page. */
const READS = 'reads.json';
/** The documents that need a server, and the second address of the dashboard. */
const NOT_FILES: ReadonlySet<unknown> = new Set(['/oembed', '/index.html']);
/** Headers of a static build for a page that reads everything from a hosted backend. */
const BUILD_FILES: ReadonlySet<string> = new Set(['/_headers', '/vercel.json', '/nginx-headers.conf']);

/** Reads all rows of a table, as the JSON text of the database. */
async function readWhole(database: Database, { name, columns }: Table): Promise<string> {
  const whole = { table: name, columns: [...columns.keys()].join(), order: ['id.asc'], limit: PAGE_ROWS };
  const parts: string[] = [];
  for (let last = 0, isDone = false; !isDone; ) {
    const read: AnyRead = { ...whole, filters: [['id', 'gt', String(last)]] };
    const { body, rows } = await database.transaction((each) => runRead(each, read), READ_OPTIONS);
    if (rows > 0) parts.push(body.slice(1, -1));
    last = JSON.parse(body).at(-1)?.id;
    isDone = rows < PAGE_ROWS;
  }
  return `[${parts.join(',')}]`;
}

/** The responses to all reads of the page, by their address below the page. The page repeats them as of `at`. */
async function readsFile({ database, at }: SiteOptions, release: Release): Promise<Buffer> {
  const responses: Record<string, readonly [range: string, rows: unknown]> = {};
  const add = (key: string, range: string | undefined, body: string) => {
    responses[key.split('\n', 1)[0]?.slice(1) ?? ''] = [range ?? '', JSON.parse(body)];
  };
  for (const [key, { headers, content }] of release.responses)
    add(key, headers['Content-Range'], content.toString());
  const inSnapshot = createSnapshotReads(database);
  for (const figure of historyFigures()) {
    await inSnapshot(
      (send) => readFigureYear(send, marketClockAt(at), storedFigure(figure)),
      (read, { headers, body }) => add(keyOfRead(read), headers['Content-Range'], body),
    );
  }
  return Buffer.from(JSON.stringify({ at: rowsOf(release).at, responses }));
}

const publishedRows = (table: string) =>
  (JSON.parse(table) as { origin: string; session: string; sha256: string }[])
    .filter(({ origin }) => origin === 'live')
    .map(({ session, sha256 }) => `/on/${session}.${sha256}.json`);

export class DataChanged extends Error {}

/** Creates all files of a site: each linked document and the files of the page. Throws DataChanged after a commit. */
export async function* siteFiles(options: SiteOptions, last: LastSite): AsyncGenerator<SiteFile> {
  const { database, url, at, rights, publishDelay, backend } = options;
  const home = `${url.replace(/\/$/, '')}/`;
  const version = await readDataVersion(database);
  const { productName } = options.page;
  const { html, files } = await loadBuiltPage(options.clientFolder, productName);
  const tables = await readTables(database);
  let failure: string | null = null;
  const log: Log = {
    ...SILENT_LOG,
    error: (event, fields) => {
      failure ??= `${event}: ${fields?.reason ?? fields?.code}`;
    },
  };
  let card: string | undefined;
  const config: PageConfig = {
    ...options.page,
    ...(publishDelay > 0 && { ageNote: DELAY_NOTE }),
    ...(backend ?? {
      ...{ supabaseUrl: '.', anonKey: '-', reads: READS },
      subscribeAt: options.subscribeAt ?? '',
    }),
  };
  const { releases, documents } = createDocuments({
    ...{ database, tables, home, productName, rights, publishDelay, log },
    // One version of the data and one instant for all documents.
    watch: { version: 0, isWatching: true, knownAt: at, onChange: () => () => {}, close: async () => {} },
    now: () => at,
    counts: createServerCounts(),
    signingKey: await readSigningKey(database),
    renderer: createPageRenderer(html, config, url, rights),
    hasServer: false,
    async draw(drawn) {
      card = createHash('sha256').update(options.version).update(JSON.stringify(drawn)).digest('hex');
      return (await last.drawn(card)) ?? options.draw(drawn);
    },
  });
  try {
    await releases.prepare();
    const release = releases.latest;
    if (release === null) throw new Error(`The page cannot be built (${failure}).`);

    for (const [path, { content }] of files)
      if (!BUILD_FILES.has(path)) yield { path: path.slice(1), content };
    if (backend === null) yield { path: READS, content: await readsFile(options, release) };
    const paths = new Set<string>(['/on', '/ledger/key', '/ledger/anchors.json', '/ledger/checkpoint']);
    for (const { path } of documents) if (typeof path === 'string' && !NOT_FILES.has(path)) paths.add(path);
    for (const shown of SHOWN_TABLES) {
      const read = tables.get(shown.name);
      if (read === undefined) continue;
      const text = await readWhole(database, read);
      yield { path: `rest/v1/${shown.name}`, content: Buffer.from(text) };
      if (shown.kind === 'publication') for (const path of publishedRows(text)) paths.add(path);
    }

    const serve = async (path: string): Promise<Resource | null> => {
      const found =
        documents.find((each) => each.path === path) ??
        documents.find((each) => typeof each.path !== 'string' && each.path.test(path));
      return (await found?.serve({ path, query: '', client: () => '' }))?.value ?? null;
    };
    // A set also visits the paths that are added meanwhile.
    for (const path of paths) {
      if (files.has(path)) continue;
      card = undefined;
      const resource = await serve(path);
      if (resource === null || resource.status === 404) continue;
      const { status, headers } = resource;
      if (status >= 400) throw new Error(`${path} cannot be published: its status is ${status}.`);
      if (headers.Location !== undefined) {
        let to = path;
        for (
          let next: Resource | null = resource;
          next?.headers.Location !== undefined;
          next = await serve(to)
        )
          to = new URL(next.headers.Location, `http://host${to}`).pathname;
        paths.add(to);
        yield { path: fileOf(path), content: Buffer.from(leadTo(path, to)) };
      } else if (headers['Content-Type']?.startsWith('text/html')) {
        const text = resource.content.toString();
        const linked = linkFiles(text, path, home);
        for (const other of linked.paths) paths.add(other.replace(/(?<=.)\/$/, ''));
        // React hydrates the dashboard, so its markup stays as it is. Its links are redirected by the host.
        const page = path === '/' ? text : linked.html;
        yield {
          path: fileOf(path),
          content: Buffer.from(withPolicy(page, headers['Content-Security-Policy'])),
        };
        if (/^\/on\/[\d-]+$/.test(path)) paths.add(`${path}.json`);
      } else {
        yield { path: fileOf(path), content: resource.content, card };
        if (path === '/ledger/checkpoint') {
          const size = Number(resource.content.toString().split('\n')[1]);
          for (const tile of tilesOf(size)) paths.add(`/ledger/${tilePath(tile)}`);
        }
      }
    }
    if (failure !== null) throw new Error(`A document cannot be built (${failure}).`);
  } finally {
    releases.close();
  }
  if ((await readDataVersion(database)) !== version) throw new DataChanged();
}
