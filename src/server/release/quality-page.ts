import type { Database } from '#database/port.ts';
import { readQuality } from '#record/quality.ts';
import { qualityView } from '#views/quality-view.ts';
import { qualityHtml } from '#web/documents/quality-page.tsx';
import { compressedResource, type Resource } from '../http/resource.ts';
import type { Log } from '../log.ts';
import type { MarketWatch } from '../market-watch.ts';
import { DOCUMENT_HEADERS } from '../page/document-headers.ts';
import { createLastVersions, type Served } from './last-versions.ts';

interface QualityOptions {
  readonly database: Database;
  readonly watch: MarketWatch;
  readonly productName: string;
  /** Returns the current time (epoch milliseconds). */
  readonly now: () => number;
  /** See `createLastVersions`. */
  readonly waitMs?: number | undefined;
  readonly log: Log;
}

/** Returns the page `/quality`, or its last version if the database is unavailable. Otherwise rejects with its error. */
type QualityPage = () => Promise<Served>;

/** Maximum age of a rendered page (ms). A new session changes the page, but not the data. */
const MOST_AGE = 60_000;

/**
 * Creates the page about the quality of the data. It is rendered when the data have changed, and at most a minute after
 * the last time.
 */
export function createQualityPage(options: QualityOptions): QualityPage {
  const { database, productName, now } = options;
  const lastVersions = createLastVersions({ ...options, currentMs: MOST_AGE });

  async function build(): Promise<Resource> {
    const at = now();
    const quality = await database.transaction((transaction) => readQuality(transaction, at), {
      readOnly: true,
    });
    return compressedResource(qualityHtml(qualityView(quality), productName), DOCUMENT_HEADERS);
  }

  return () => lastVersions('/quality', build);
}
