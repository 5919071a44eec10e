import { READ_ONLY, SNAPSHOT } from '#database/port.ts';
import { readDecisionInputs } from '#record/decision-inputs.ts';
import { createServedLedger } from '#record/ledger/served-ledger.ts';
import { readQuality } from '#record/quality.ts';
import { readRiskRecord } from '#record/record-risk.ts';
import { readFirstAndNewestReadings } from '#record/revised-days.ts';
import { readSessionRows } from '#record/session-rows.ts';
import { methodFigures, methodView } from '#views/method-view.ts';
import { qualityView } from '#views/quality-view.ts';
import { recordView } from '#views/record-view.ts';
import { mondayOfWeek, type RecordWeekView, recordWeekView } from '#views/record-week-view.ts';
import { type RiskRecord, riskView } from '#views/risk-view.ts';
import { storedBreakdown } from '#views/signal-view.ts';
import { methodHtml } from '#web/documents/method-page.tsx';
import { qualityHtml } from '#web/documents/quality-page.tsx';
import { noRecordHtml, recordHtml, recordWeekHtml } from '#web/documents/record-page.tsx';
import RECORD_WEEK_STYLE from '#web/documents/record-week.css?inline';
import { riskHtml } from '#web/documents/risk-page.tsx';
import { compressedResource, toResource } from '../http/response.ts';
import { documentHeaders, UNFRAMED_HEADERS } from '../http/security-headers.ts';
import type { ServerCounts } from '../metrics/counters.ts';
import { CARD_PATH, type Card, readingCard } from '../page/card/card.ts';
import { RECORD_CARD_PATH, recordCard, weekCard } from '../page/card/record-card.ts';
import { createQueue } from '../queue.ts';
import { createSnapshotReads } from '../rest/read.ts';
import { type CachedValue, type CacheOptions, CURRENT_MS, createCachedValue } from './cached-value.ts';
import {
  CARD_HEADERS,
  createDocument,
  DOCUMENT_HEADERS,
  type Document,
  type DocumentParts,
  type DocumentSource,
  SCRIPTED_HEADERS,
  THEME_SOURCE,
} from './document.ts';
import { mcpTools } from './mcp-tools.ts';
import { outputDocuments } from './output-documents.ts';
import { servePastDays } from './past-days.ts';
import { createReleases, type Release, readInternalRows, rowsOf, servePage } from './release.ts';

/** Maximum number of images of weeks that wait or are being drawn, in total and of one client. */
const WEEKS_DRAWN = { most: 20, mostPerClient: 4 } as const;
const WEEK = /^\/record\/([^/]*)$/;
const IMAGE = /\.png$/;
const WEEK_HEADERS = documentHeaders(RECORD_WEEK_STYLE, [THEME_SOURCE]);

export const cachedRisk = (parts: CacheOptions & Pick<DocumentParts, 'database'>): CachedValue<RiskRecord> =>
  createCachedValue({ ...parts, build: () => parts.database.transaction(readRiskRecord, SNAPSHOT) });

/** Creates the pages for readers besides the dashboard and the past days, and the share images. */
export function pageDocuments(
  parts: Omit<DocumentParts, 'tables' | 'renderer' | 'signingKey' | 'hasServer'>,
  releases: Pick<CachedValue<Release>, 'current'>,
  risk: Pick<CachedValue<RiskRecord>, 'current'>,
): Document[] {
  const { database, productName, home, draw, now } = parts;
  const document = <Input, Content>(source: DocumentSource<Input, Content>) => createDocument(source, parts);
  const image = async (card: Card) => toResource(await draw(card), CARD_HEADERS);
  const page = (html: string) => compressedResource(html, DOCUMENT_HEADERS);
  const figures = createCachedValue({
    ...parts,
    async build() {
      const rows = await database.transaction(readSessionRows, { ...SNAPSHOT, role: 'anon' });
      return methodFigures(rows, await database.transaction(readFirstAndNewestReadings, READ_ONLY));
    },
  });
  const quality = createCachedValue({
    ...parts,
    // A new session changes the page, but not the data.
    endOf: (at) => at + CURRENT_MS,
    build: () =>
      database.transaction(
        async (transaction) => qualityView(await readQuality(transaction, now(), parts.publishDelay)),
        READ_ONLY,
      ),
  });
  const drawInTurn = createQueue(WEEKS_DRAWN);

  /** The page of a week, or its share image if the name ends with `.png`. */
  const weekIn = (release: Release, name: string) => {
    const week = name.replace(IMAGE, '');
    const found = mondayOfWeek(week);
    const view = 'problem' in found ? null : recordWeekView(rowsOf(release).record, found.monday);
    const problem = 'problem' in found ? found.problem : `The week ${week} has no decision on record.`;
    return { week, view, problem, isImage: view !== null && week !== name };
  };
  const reasonsOf = async ({ week, scale }: RecordWeekView) => {
    if (scale === null) return null;
    const inputs = await database.transaction(
      (transaction) => readDecisionInputs(transaction, week),
      READ_ONLY,
    );
    return inputs && storedBreakdown(inputs, scale.score);
  };

  return [
    document({
      path: CARD_PATH,
      input: releases.current,
      content: (release: Release) => readingCard(rowsOf(release).view, productName),
      build: image,
    }),
    document({
      path: '/record',
      input: releases.current,
      content: (release: Release) => recordView(rowsOf(release).record, rowsOf(release).anchors),
      build(view) {
        const place = { productName, home: './', imageAddress: `${home}${RECORD_CARD_PATH.slice(1)}` };
        return compressedResource(recordHtml(view, place), SCRIPTED_HEADERS);
      },
    }),
    document({
      path: RECORD_CARD_PATH,
      input: releases.current,
      content: (release: Release) => recordCard(recordView(rowsOf(release).record), productName),
      build: image,
    }),
    document({
      path: WEEK,
      input: releases.current,
      content: weekIn,
      async build({ week, view, problem, isImage }, { client }) {
        if (view === null)
          return compressedResource(
            noRecordHtml(problem, { productName, home: '../' }),
            DOCUMENT_HEADERS,
            404,
          );
        if (isImage) return drawInTurn(client(), () => image(weekCard(view, productName)));
        const place = { productName, home: '../', imageAddress: `${home}record/${week}.png` };
        return compressedResource(recordWeekHtml(view, place, await reasonsOf(view)), WEEK_HEADERS);
      },
    }),
    document({
      path: '/method',
      input: figures.current,
      content: (read) => methodView(read, now(), parts.rights),
      build: (view) => page(methodHtml(view, productName)),
    }),
    document({
      path: '/risk',
      input: risk.current,
      content: (read) => riskView(read, now(), (parts.publishDelay ?? 0) > 0),
      build: (view) => page(riskHtml(view, productName)),
    }),
    document({
      path: '/quality',
      input: quality.current,
      content: (view) => view,
      build: (view) => page(qualityHtml(view, productName)),
    }),
  ];
}

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
