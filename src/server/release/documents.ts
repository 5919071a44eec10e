import { recordView } from '#views/record-view.ts';
import { recordHtml } from '#web/documents/record-page.tsx';
import { fileHeaders } from '../http/client-files.ts';
import { compressedResource, type Headers, type Resource, toResource } from '../http/resource.ts';
import { type Log, reasonOf } from '../log.ts';
import { CARD_PATH, type Card, readingCard } from '../page/card/card.ts';
import { DOCUMENT_HEADERS } from '../page/document-headers.ts';
import type { ReleaseRows } from './build-release.ts';

/** Returns a document of the release with these rows. Rejects, after logging the reason, if it cannot be built. */
export type Document = (rows: ReleaseRows) => Promise<Resource>;

interface DocumentSource<Content> {
  readonly path: string;
  readonly headers: Headers;
  /** Returns the plain data that the document shows. */
  readonly content: (rows: ReleaseRows) => Content;
  /** Builds the document: text, which is sent compressed, or bytes. */
  readonly build: (content: Content) => Promise<string | Buffer>;
}

interface DocumentTools {
  readonly productName: string;
  /** Draws a card as a PNG. */
  readonly draw: (card: Card) => Promise<Buffer>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** Creates the documents that are published with each release beside the page, by path. Add further ones here. */
export function createDocuments(tools: DocumentTools): ReadonlyMap<string, Document> {
  const { productName, draw } = tools;
  return new Map([
    createDocument(
      {
        path: CARD_PATH,
        headers: { ...fileHeaders(CARD_PATH), 'Cache-Control': 'public, max-age=300' },
        content: ({ view }) => readingCard(view, productName),
        build: draw,
      },
      tools,
    ),
    createDocument(
      {
        path: '/record',
        headers: DOCUMENT_HEADERS,
        content: ({ record }) => recordView(record),
        build: async (view) => recordHtml(view, { productName, home: './' }),
      },
      tools,
    ),
  ]);
}

/** Time between a failed build and the next attempt. */
const RETRY_MS = 5_000;

/**
 * Creates a document with its path. It is built at its first request, as the share image takes 0.4 s and 70 MB, and again only
 * for content that differs from the last one built.
 */
export function createDocument<Content>(
  { path, headers, content, build }: DocumentSource<Content>,
  { now, log }: Pick<DocumentTools, 'now' | 'log'>,
): readonly [path: string, Document] {
  let requested: { rows: ReleaseRows; shown: Content; key: string } | null = null;
  let built: { key: string; resource: Promise<Resource>; failedAt: number | null } | null = null;

  async function toDocument(shown: Content): Promise<Resource> {
    const bytes = await build(shown);
    return typeof bytes === 'string' ? compressedResource(bytes, headers) : toResource(bytes, headers);
  }

  return [
    path,
    (rows) => {
      if (requested?.rows !== rows) {
        const shown = content(rows);
        requested = { rows, shown, key: JSON.stringify(shown) };
      }
      const { shown, key } = requested;
      // The clock may have been set back since.
      const mayRetry = built?.failedAt != null && Math.abs(now() - built.failedAt) >= RETRY_MS;
      if (built?.key === key && !mayRetry) return built.resource;
      const attempt = { key, resource: toDocument(shown), failedAt: null as number | null };
      attempt.resource.catch((error: unknown) => {
        attempt.failedAt = now();
        log.error('document failed', { path, reason: reasonOf(error) });
      });
      built = attempt;
      return attempt.resource;
    },
  ];
}
