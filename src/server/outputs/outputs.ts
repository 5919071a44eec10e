import { createHash } from 'node:crypto';
import { badgeOf } from '#views/outputs/badge.ts';
import { fearGreedTable, signalsTable } from '#views/outputs/bulk-tables.ts';
import { currentSignal } from '#views/outputs/current-signal.ts';
import { type CurrentData, type DataState, dataState, isDemo, stateText } from '#views/outputs/data-state.ts';
import { embedCard } from '#views/outputs/embed-card.ts';
import {
  type FeedEntry,
  gradeEntries,
  newestEntries,
  signalEntries,
  verdictChangeEntry,
} from '#views/outputs/feed-entries.ts';
import { EMBED_STYLE, embedHtml } from '#web/documents/embed-page.tsx';
import { OPEN_HEADERS, OUTPUT_HEADERS, stateHeaders } from '../http/open-headers.ts';
import type { Headers } from '../http/resource.ts';
import { COMMON_HEADERS, PERMISSIONS } from '../http/security-headers.ts';
import type { Log } from '../log.ts';
import type { ReleaseRows } from '../release/build-release.ts';
import { createDocument, type Document } from '../release/documents.ts';
import { badgeJson, badgeSvg } from './badge.ts';
import { toCsv } from './csv.ts';
import { FEEDS, type Feed, type FeedPlace, feedIds, toAtom, toJsonFeed } from './feeds.ts';

interface OutputOptions {
  readonly productName: string;
  /** The address of the dashboard, with a slash at its end. */
  readonly home: string;
  /** Secret of the installation. The ids of the feeds are made from it. */
  readonly idKey: Uint8Array;
  /** Returns the current time (epoch milliseconds). */
  readonly now: () => number;
  readonly log: Log;
}

/** The data of a release that the outputs show. */
interface OutputData extends CurrentData {
  readonly rows: ReleaseRows;
}

function toOutputData(rows: ReleaseRows, sessionsBehind: number | null): OutputData {
  return { view: rows.view, source: rows.source, sessionsBehind, rows };
}

const EMBED_HASH = createHash('sha256').update(EMBED_STYLE).digest('base64');

/**
 * Headers of the card, which is the only path that other sites may frame. The card has no script and no form, and loads
 * no other file.
 */
const EMBED_HEADERS = {
  ...COMMON_HEADERS,
  ...OPEN_HEADERS,
  'Cache-Control': OUTPUT_HEADERS['Cache-Control'],
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${EMBED_HASH}'`,
    'frame-ancestors *',
    "form-action 'none'",
    "base-uri 'none'",
  ].join(';'),
  ...PERMISSIONS,
  'X-Robots-Tag': 'noindex',
} as const;

function feedOf(
  data: OutputData,
  place: (typeof FEEDS)[keyof typeof FEEDS],
  title: string,
  entries: readonly FeedEntry[],
): Feed {
  const state = dataState(data);
  return {
    ...place,
    title: `${isDemo(data) ? 'Demo: ' : ''}${title}`,
    description: stateText(data),
    updated: entries[0]?.at ?? state.as_of ?? new Date(0).toISOString(),
    entries,
    state,
  };
}

/** The feed of the weekly signals and the lasting changes of the verdict. */
function mainFeed(data: OutputData, productName: string): Feed {
  const { record, verdictChanges } = data.rows;
  const entries = newestEntries(signalEntries(record), verdictChanges.map(verdictChangeEntry));
  return feedOf(data, FEEDS.main, `${productName} weekly signal`, entries);
}

/** The feed of the grades, which are so many that they would push the signals out of a common feed. */
function gradesFeed(data: OutputData, productName: string): Feed {
  const entries = newestEntries(gradeEntries(data.rows.record));
  return feedOf(data, FEEDS.grades, `${productName} grades of the weekly signal`, entries);
}

/** Creates the outputs for programs and other sites, by path. Each output states the age and the origin of its data. */
export function createOutputs({
  productName,
  home,
  idKey,
  now,
  log,
}: OutputOptions): ReadonlyMap<string, Document> {
  const output = <Content>(
    path: string,
    type: string,
    content: (data: OutputData) => Content,
    build: (content: Content) => string,
    headers: Headers = OUTPUT_HEADERS,
  ) =>
    createDocument<{ shown: Content; state: DataState }>(
      {
        path,
        headers: ({ state }) => ({
          ...headers,
          'Content-Type': `${type}; charset=utf-8`,
          ...stateHeaders(state),
        }),
        content: (rows, sessionsBehind) => {
          const data = toOutputData(rows, sessionsBehind);
          return { shown: content(data), state: dataState(data) };
        },
        build: async ({ shown }) => build(shown),
      },
      { now, log },
    );
  const place: FeedPlace = { productName, home, idOf: feedIds(idKey) };
  const main = (data: OutputData) => mainFeed(data, productName);
  const grades = (data: OutputData) => gradesFeed(data, productName);
  const badge = (data: OutputData) => ({ ...badgeOf(data), title: stateText(data) });
  return new Map([
    output('/signal.json', 'application/json', currentSignal, (signal) =>
      JSON.stringify({ ...signal, page: home }),
    ),
    output('/signals.csv', 'text/csv', ({ rows }) => signalsTable(rows.record), toCsv),
    output('/fear-greed.csv', 'text/csv', ({ rows }) => fearGreedTable(rows.fearGreed), toCsv),
    output('/feed.atom', 'application/atom+xml', main, (shown) => toAtom(shown, place)),
    output('/feed.json', 'application/feed+json', main, (shown) => toJsonFeed(shown, place)),
    output('/grades.atom', 'application/atom+xml', grades, (shown) => toAtom(shown, place)),
    output('/grades.json', 'application/feed+json', grades, (shown) => toJsonFeed(shown, place)),
    output('/badge.svg', 'image/svg+xml', badge, (shown) => badgeSvg(shown, productName, shown.title)),
    output('/badge.json', 'application/json', badge, (shown) => badgeJson(shown, productName)),
    output('/embed', 'text/html', embedCard, (card) => embedHtml(card, { productName, home }), EMBED_HEADERS),
  ]);
}
