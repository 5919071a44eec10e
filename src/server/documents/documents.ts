import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#database/port.ts';
import { createServedLedger } from '#record/ledger/served-ledger.ts';
import { readLedgerAnchors } from '#record/ledger/stored-anchors.ts';
import { countOpenGaps } from '#record/quality.ts';
import { readNewestOutlook } from '#record/record-risk.ts';
import type { RightsView } from '#views/rights-view.ts';
import { toResource } from '../http/resource.ts';
import { UNFRAMED_HEADERS } from '../http/security-headers.ts';
import type { Log } from '../log.ts';
import type { ServerCounts } from '../metrics/metrics.ts';
import type { Card } from '../page/card/card.ts';
import { createSnapshotReads } from '../page/snapshot-reads.ts';
import type { Tables } from '../rest/exposed-tables.ts';
import type { Asked, Document } from './document.ts';
import { type McpTool, mcpTools } from './mcp-tools.ts';
import { outputDocuments } from './output-documents.ts';
import { pageDocuments, riskVersions } from './page-documents.ts';
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
  /** The rights sheet; null if everything is shown at once. */
  readonly rights?: RightsView | null | undefined;
  /** Number of sessions after which a session is published; 0 by default. */
  readonly publishDelay?: number | undefined;
  /** False if the documents become files, which have no address that needs a server; true by default. */
  readonly hasServer?: boolean | undefined;
}

export interface Documents {
  readonly releases: Versions<Release>;
  /** All documents. A request gets the first one whose path matches. */
  readonly table: readonly Document[];
  /** The tools of the MCP endpoint. */
  readonly tools: readonly McpTool[];
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
export function serveLedgerFiles(ledgerFile: ReturnType<typeof createServedLedger>): Document['serve'] {
  return async ({ path }) => {
    const file = await ledgerFile(path.slice(LEDGER.length));
    if (file === null) return null;
    const headers = {
      ...UNFRAMED_HEADERS,
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      'Content-Type': path.startsWith(`${LEDGER}tile/`)
        ? 'application/octet-stream'
        : path.endsWith('.json')
          ? 'application/json; charset=utf-8'
          : 'text/plain; charset=utf-8',
    };
    return { resource: toResource(Buffer.from(file.content), headers), age: null };
  };
}

/** Creates the table of documents: all addresses that are not a file, a table, a link or for operators. */
export function createDocuments(parts: DocumentParts): Documents {
  const { database, now, hasServer = true } = parts;
  const home = `${parts.url.replace(/\/$/, '')}/`;
  const inSnapshot = createSnapshotReads(database);
  const releases = createReleases({
    ...parts,
    inSnapshot,
    readRisk: () => database.transaction(readNewestOutlook, { readOnly: true }),
    countGaps: () =>
      database.transaction((transaction) => countOpenGaps(transaction, now(), parts.publishDelay), {
        readOnly: true,
      }),
    readAnchors: () => database.transaction(readLedgerAnchors, { readOnly: true }),
  });
  const risk = riskVersions(parts);
  const page = createPage(releases);
  const pastDays = createPastDays({
    ...{ ...parts, inSnapshot },
    pause: async () => hasServer && delay(PAUSE_MS, undefined, { ref: false }),
  });
  const day = ({ path, query, client }: Asked) => pastDays(path, query, client());
  const ledger = serveLedgerFiles(createServedLedger({ database, now }));
  return {
    releases,
    table: [
      { path: '/', isLean: true, serve: page },
      { path: '/index.html', isLean: true, serve: page },
      ...pageDocuments({ ...parts, releases, risk, home }),
      ...outputDocuments({ ...parts, releases, home, hasServer }),
      { path: /^\/on\/.*\.json$/, isOpen: true, serve: day },
      { path: /^\/on(?:\/|$)/, serve: day },
      { path: /^\/ledger\//, isOpen: true, serve: ledger },
    ],
    tools: mcpTools({ ...parts, releases, risk, day, ledger, home }),
  };
}
