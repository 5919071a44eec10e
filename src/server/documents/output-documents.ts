import { fearGreedTable, signalsTable, toCsv } from '#views/outputs/bulk-tables.ts';
import { badgeOf, embedCard } from '#views/outputs/cards.ts';
import { currentSignal } from '#views/outputs/current-signal.ts';
import { dataState, isDemo, stateText } from '#views/outputs/data-state.ts';
import {
  type FeedEntry,
  gradeEntries,
  newestEntries,
  signalEntries,
  verdictChangeEntry,
} from '#views/outputs/feed-entries.ts';
import { EMBED_STYLE, embedHtml } from '#web/documents/embed-page.tsx';
import { OPEN_HEADERS, OUTPUT_HEADERS, stateHeaders } from '../http/open-headers.ts';
import { compressedResource } from '../http/response.ts';
import { COMMON_HEADERS, hashSource, PERMISSIONS } from '../http/security-headers.ts';
import { badgeJson, badgeSvg } from '../outputs/badge.ts';
import { FEEDS, type Feed, feedIds, toAtom, toJsonFeed } from '../outputs/feeds.ts';
import { llmsText } from '../outputs/llms.ts';
import { oEmbedResource } from '../outputs/oembed.ts';
import { OUTPUTS, openApi } from '../outputs/openapi.ts';
import type { CachedValue } from './cached-value.ts';
import { createDocument, type Document, type DocumentParts } from './document.ts';
import { type OutputData, outputDataOf, type Release } from './release.ts';

/** Headers of the card, the only path that other sites may frame. It has no script, no form and no other file. */
const EMBED_HEADERS = {
  ...COMMON_HEADERS,
  ...OPEN_HEADERS,
  'Cache-Control': OUTPUT_HEADERS['Cache-Control'],
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src ${hashSource(EMBED_STYLE)}`,
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

/** Creates the documents for programs and other sites. Each states the age and the origin of its data. */
export function outputDocuments(
  parts: DocumentParts,
  releases: Pick<CachedValue<Release>, 'current'>,
): Document[] {
  const { tables, productName, home, signingKey, hasServer, now } = parts;
  const dataOf = (release: Release) => outputDataOf(release, now());
  /** A text that does not depend on the data. */
  const constant = (path: string, type: string, build: () => string) =>
    createDocument(
      {
        ...{ path, isOpen: true },
        input: () => ({ value: null, age: null }),
        content: () => null,
        build: () =>
          compressedResource(build(), { ...OUTPUT_HEADERS, 'Content-Type': `${type}; charset=utf-8` }),
      },
      parts,
    );
  function output<Shown>(
    path: keyof typeof OUTPUTS,
    shownIn: (data: OutputData) => Shown,
    build: (shown: Shown) => string,
    headers: Readonly<Record<string, string>> = OUTPUT_HEADERS,
  ): Document {
    const typed = { ...headers, 'Content-Type': `${OUTPUTS[path][0]}; charset=utf-8` };
    return createDocument(
      {
        ...{ path, isOpen: true, input: releases.current },
        content: (release: Release) => {
          const data = dataOf(release);
          return { shown: shownIn(data), state: dataState(data) };
        },
        build: ({ shown, state }) => compressedResource(build(shown), { ...typed, ...stateHeaders(state) }),
      },
      parts,
    );
  }
  const place = { productName, home, idOf: feedIds(signingKey) };
  const main = (data: OutputData) => {
    const { record, verdictChanges } = data.rows;
    const entries = newestEntries(signalEntries(record), verdictChanges.map(verdictChangeEntry));
    return feedOf(data, FEEDS.main, `${productName} weekly signal`, entries);
  };
  // The grades are so many that they would push the signals out of a common feed.
  const grades = (data: OutputData) =>
    feedOf(
      data,
      FEEDS.grades,
      `${productName} grades of the weekly signal`,
      newestEntries(gradeEntries(data.rows.record)),
    );
  const badge = (data: OutputData) => ({ ...badgeOf(data), title: stateText(data) });
  return [
    output('/signal.json', currentSignal, (signal) => JSON.stringify({ ...signal, page: home })),
    output('/signals.csv', ({ rows }) => signalsTable(rows.record), toCsv),
    output('/fear-greed.csv', ({ rows }) => fearGreedTable(rows.fearGreed), toCsv),
    output('/feed.atom', main, (shown) => toAtom(shown, place)),
    output('/feed.json', main, (shown) => toJsonFeed(shown, place)),
    output('/grades.atom', grades, (shown) => toAtom(shown, place)),
    output('/grades.json', grades, (shown) => toJsonFeed(shown, place)),
    output('/badge.svg', badge, (shown) => badgeSvg(shown, productName, shown.title)),
    output('/badge.json', badge, (shown) => badgeJson(shown, productName)),
    output('/embed', embedCard, (card) => embedHtml(card, { productName, home }), EMBED_HEADERS),
    {
      path: '/oembed',
      isOpen: true,
      async serve({ query }) {
        const { value, age } = await releases.current();
        return { value: oEmbedResource(dataOf(value), query, { productName, home }), age };
      },
    },
    constant('/llms.txt', 'text/plain', () => llmsText(productName, home, hasServer)),
    constant('/openapi.json', 'application/json', () =>
      JSON.stringify(openApi({ tables, productName, home, hasServer })),
    ),
  ];
}
