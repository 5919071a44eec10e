import type { Database } from '#database/port.ts';
import { readQuality } from '#record/quality.ts';
import { qualityView } from '#views/quality-view.ts';
import { qualityHtml } from '#web/documents/quality-page.tsx';
import { compressedResource, type Resource } from '../http/resource.ts';
import type { MarketWatch } from '../market-watch.ts';
import { DOCUMENT_HEADERS } from '../page/document-headers.ts';

interface QualityOptions {
  readonly database: Database;
  readonly watch: MarketWatch;
  readonly productName: string;
  /** Returns the current time (epoch milliseconds). */
  readonly now: () => number;
}

/** Returns the page `/quality`. Rejects with the error of the database. */
type QualityPage = () => Promise<Resource>;

/** Maximum age of a rendered page (ms). A new session changes the page, but not the data. */
const MOST_AGE = 60_000;

/**
 * Creates the page about the quality of the data. It is rendered when the data have changed, and at most a minute after
 * the last time.
 */
export function createQualityPage({ database, watch, productName, now }: QualityOptions): QualityPage {
  let built: { version: number; at: number; page: Promise<Resource> } | null = null;

  async function build(at: number): Promise<Resource> {
    const quality = await database.transaction((transaction) => readQuality(transaction, at), {
      readOnly: true,
    });
    return compressedResource(qualityHtml(qualityView(quality), productName), DOCUMENT_HEADERS);
  }

  return () => {
    const at = now();
    const isCurrent =
      built?.version === watch.version && watch.isWatching && Math.abs(at - built.at) < MOST_AGE;
    if (built !== null && isCurrent) return built.page;
    const page = build(at);
    const own = { version: watch.version, at, page };
    built = own;
    page.catch(() => {
      if (built === own) built = null;
    });
    return page;
  };
}
