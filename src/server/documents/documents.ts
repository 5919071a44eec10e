import { createServedLedger } from '#record/ledger/served-ledger.ts';
import { toResource } from '../http/response.ts';
import { UNFRAMED_HEADERS } from '../http/security-headers.ts';
import type { ServerCounts } from '../metrics/metrics.ts';
import { createSnapshotReads } from '../rest/read.ts';
import type { Document, DocumentParts } from './document.ts';
import { mcpTools } from './mcp-tools.ts';
import { outputDocuments } from './output-documents.ts';
import { cachedRisk, pageDocuments } from './page-documents.ts';
import { servePastDays } from './past-days.ts';
import { createReleases, readInternalRows, servePage } from './release.ts';

const LEDGER = '/ledger/';

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
    return { value: toResource(Buffer.from(file.content), headers), age: null };
  };
}

/** Creates the documents: all addresses that are not a file, a table, a link or for operators. */
export function createDocuments(parts: DocumentParts & { readonly counts: ServerCounts }) {
  const { database, now, publishDelay } = parts;
  const inSnapshot = createSnapshotReads(database);
  const releases = createReleases({
    ...{ ...parts, inSnapshot },
    readInternal: () => readInternalRows(database, now(), publishDelay),
  });
  const risk = cachedRisk(parts);
  const page = servePage(releases);
  const day = servePastDays({ ...parts, inSnapshot });
  const ledger = serveLedgerFiles(createServedLedger({ database, now }));
  return {
    releases,
    /** All documents. A request gets the one with its path, or else the first one whose pattern matches. */
    documents: [
      { path: '/', isLean: true, serve: page },
      { path: '/index.html', isLean: true, serve: page },
      ...pageDocuments(parts, releases, risk),
      ...outputDocuments(parts, releases),
      { path: /^\/on\/.*\.json$/, isOpen: true, serve: day },
      { path: /^\/on(?:\/|$)/, serve: day },
      { path: /^\/ledger\//, isOpen: true, serve: ledger },
    ],
    tools: mcpTools({ ...parts, releases, risk, day, ledger }),
  };
}
