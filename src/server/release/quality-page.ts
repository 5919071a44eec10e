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
  /** Epoch ms. */
  readonly now: () => number;
}

/** Returns `/quality`. Rejects with the error of the database. */
export type QualityPage = () => Promise<Resource>;

/** A page is built again after this time (ms) at the latest, since a new session begins without a change of the data. */
const MOST_AGE = 60_000;

/** Creates the page about the quality of the data. It is built once for each version of the data and minute. */
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
