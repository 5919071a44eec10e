import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#database/port.ts';
import { createServedLedger } from '#record/ledger/served-ledger.ts';
import { countOpenGaps } from '#record/quality.ts';
import { toResource } from '../http/resource.ts';
import { UNFRAMED_HEADERS } from '../http/security-headers.ts';
import type { Log } from '../log.ts';
import type { ServerCounts } from '../metrics/metrics.ts';
import type { Card } from '../page/card/card.ts';
import { createSnapshotReads } from '../page/snapshot-reads.ts';
import type { Tables } from '../rest/tables.ts';
import type { Asked, Document } from './document.ts';
import { outputDocuments } from './output-documents.ts';
import { pageDocuments } from './page-documents.ts';
import { createPastDays, PAUSE_MS } from './past-days.ts';
import { createReleases, type Release, type Renderer } from './release.ts';
import type { Served, Versioned, VersionOptions, Versions } from './versions.ts';

export interface DocumentParts extends VersionOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly renderer: Renderer;
  readonly productName: string;
  /** The address at which visitors reach the server. */
  readonly url: string;
  /** Secret of the installation. The ids of the feeds are made from it. */
  readonly idKey: Uint8Array;
  /** Draws a card as a PNG. */
  readonly draw: (card: Card) => Promise<Buffer>;
  readonly counts: ServerCounts;
  readonly log: Log;
}

export interface Documents {
  readonly releases: Versions<Release>;
  /** All documents. A request gets the first one whose path matches. */
  readonly table: readonly Document[];
}

const LEDGER = '/ledger/';

const pageOf = ({ value, age }: Versioned<Release>): Served => ({
  resource: value.page,
  age: age?.() ?? null,
});

/** Creates the dashboard's page, from memory if the release is current. */
function createPage(releases: Versions<Release>): Document['serve'] {
  return () => {
    const version = releases.current();
    return version instanceof Promise ? version.then(pageOf) : pageOf(version);
  };
}

/** Creates the documents of the ledger. `ledgerFile` returns a file by its path below `/ledger/`. */
export function createLedger(ledgerFile: ReturnType<typeof createServedLedger>): Document['serve'] {
  return async ({ path }) => {
    const file = await ledgerFile(path.slice(LEDGER.length));
    if (file === null) return null;
    const headers = {
      ...UNFRAMED_HEADERS,
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      'Content-Type': path.startsWith(`${LEDGER}tile/`)
        ? 'application/octet-stream'
        : 'text/plain; charset=utf-8',
    };
    return { resource: toResource(Buffer.from(file.content), headers), age: null };
  };
}

/** Creates the table of documents: all addresses that are not a file, a table, a link or for operators. */
export function createDocuments(parts: DocumentParts): Documents {
  const { database, now } = parts;
  const home = `${parts.url.replace(/\/$/, '')}/`;
  const inSnapshot = createSnapshotReads(database);
  const releases = createReleases({
    ...parts,
    inSnapshot,
    countGaps: () =>
      database.transaction((transaction) => countOpenGaps(transaction, now()), { readOnly: true }),
  });
  const page = createPage(releases);
  const pastDays = createPastDays({
    ...{ ...parts, inSnapshot },
    pause: () => delay(PAUSE_MS, undefined, { ref: false }),
  });
  const day = ({ path, query, client }: Asked) => pastDays(path, query, client());
  return {
    releases,
    table: [
      { path: '/', isLean: true, serve: page },
      { path: '/index.html', isLean: true, serve: page },
      ...pageDocuments({ ...parts, releases, home }),
      ...outputDocuments({ ...parts, releases, home }),
      { path: /^\/on\/.*\.json$/, isOpen: true, serve: day },
      { path: /^\/on(?:\/|$)/, serve: day },
      { path: /^\/ledger\//, isOpen: true, serve: createLedger(createServedLedger({ database, now })) },
    ],
  };
}
