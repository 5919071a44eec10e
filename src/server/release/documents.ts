import { recordView } from '#views/record-view.ts';
import { sessionsBehindAt } from '#views/sessions-behind.ts';
import { recordHtml } from '#web/documents/record-page.tsx';
import { fileHeaders } from '../http/client-files.ts';
import { compressedResource, type Headers, type Resource, toResource } from '../http/resource.ts';
import { type Log, reasonOf } from '../log.ts';
import { CARD_PATH, type Card, readingCard } from '../page/card/card.ts';
import { RECORD_CARD_PATH, recordCard } from '../page/card/record-card.ts';
import { DOCUMENT_HEADERS } from '../page/document-headers.ts';
import type { ReleaseRows } from './build-release.ts';

/** Returns a document for the release with these rows. If the document cannot be built, logs the reason and rejects. */
export type Document = (rows: ReleaseRows) => Promise<Resource>;

export interface DocumentSource<Content> {
  readonly path: string;
  readonly headers: Headers | ((content: Content) => Headers);
  /**
   * Returns the plain data that the document shows. `sessionsBehind` is the number of sessions that the rows are
   * behind. It changes with the clock, so each request passes the current number.
   */
  readonly content: (rows: ReleaseRows, sessionsBehind: number | null) => Content;
  /** Builds the document. Text is sent compressed, bytes are sent unchanged. */
  readonly build: (content: Content) => Promise<string | Buffer>;
}

interface DocumentTools {
  readonly productName: string;
  /** The address at which visitors reach the server. */
  readonly url: string;
  /** Draws a card as a PNG. */
  readonly draw: (card: Card) => Promise<Buffer>;
  /** Returns the current time (epoch milliseconds). */
  readonly now: () => number;
  readonly log: Log;
}

/** Headers of a share image. */
export const CARD_HEADERS = { ...fileHeaders(CARD_PATH), 'Cache-Control': 'public, max-age=300' } as const;

/** Creates the documents that belong to each release, in addition to the page, by path. Add new documents here. */
export function createDocuments(tools: DocumentTools): ReadonlyMap<string, Document> {
  const { productName, draw } = tools;
  const address = tools.url.replace(/\/$/, '');
  return new Map([
    createDocument(
      {
        path: CARD_PATH,
        headers: CARD_HEADERS,
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
        build: async (view) =>
          recordHtml(view, { productName, home: './', imageAddress: `${address}${RECORD_CARD_PATH}` }),
      },
      tools,
    ),
    createDocument(
      {
        path: RECORD_CARD_PATH,
        headers: CARD_HEADERS,
        content: ({ record }) => recordCard(recordView(record), productName),
        build: draw,
      },
      tools,
    ),
  ]);
}

/** Pause between a failed build and the next attempt (ms). */
const RETRY_MS = 5_000;

/**
 * Creates a document and its path. The document is built at its first request, because the share image takes 0.4 s and
 * 70 MB. After that it is built again only if its content has changed.
 */
export function createDocument<Content>(
  { path, headers, content, build }: DocumentSource<Content>,
  { now, log }: Pick<DocumentTools, 'now' | 'log'>,
): readonly [path: string, Document] {
  let requested: { rows: ReleaseRows; behind: number | null; shown: Content; key: string } | null = null;
  let built: { key: string; resource: Promise<Resource>; failedAt: number | null } | null = null;

  async function toDocument(shown: Content): Promise<Resource> {
    const bytes = await build(shown);
    const own = typeof headers === 'function' ? headers(shown) : headers;
    return typeof bytes === 'string' ? compressedResource(bytes, own) : toResource(bytes, own);
  }

  return [
    path,
    (rows) => {
      const behind = sessionsBehindAt(rows.view.age, now());
      if (requested?.rows !== rows || requested.behind !== behind) {
        const shown = content(rows, behind);
        requested = { rows, behind, shown, key: JSON.stringify(shown) };
      }
      const { shown, key } = requested;
      // Uses the absolute value, because the clock may have been set back since the failure.
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
