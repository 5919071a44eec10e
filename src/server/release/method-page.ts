import type { Database } from '#database/port.ts';
import { readSessionRows } from '#record/session-rows.ts';
import { type MethodFigures, methodFigures, methodView } from '#views/method-view.ts';
import { methodHtml } from '#web/documents/method-page.tsx';
import { compressedResource, type Resource } from '../http/resource.ts';
import type { Log } from '../log.ts';
import type { MarketWatch } from '../market-watch.ts';
import { DOCUMENT_HEADERS } from '../page/document-headers.ts';
import { createLastVersions, type Served } from './last-versions.ts';
import { RELEASE_TIMES } from './releases.ts';

interface MethodOptions {
  readonly database: Database;
  readonly watch: MarketWatch;
  readonly productName: string;
  /** Returns the current time (epoch milliseconds). */
  readonly now: () => number;
  /** See `createLastVersions`. */
  readonly waitMs?: number | undefined;
  readonly log: Log;
}

/**
 * Creates the page that explains the score. For each version of the data, the first request reads the stored history
 * and computes the statistics. The page is also rendered again when the data become one session older. If the
 * database is unavailable, returns the last version.
 */
export function createMethodPage(options: MethodOptions): () => Promise<Served> {
  const { database, watch, productName, now } = options;
  // Every request checks the time, which needs no read.
  const lastVersions = createLastVersions({ ...options, currentMs: 0 });
  let read: { version: number; at: number; figures: Promise<MethodFigures | null> } | null = null;
  let built: { figures: MethodFigures | null; notices: string; page: Promise<Resource> } | null = null;

  async function readFigures(): Promise<MethodFigures | null> {
    const rows = await database.transaction(readSessionRows, {
      readOnly: true,
      role: 'anon',
      snapshot: true,
    });
    return methodFigures(rows);
  }

  function currentFigures(at: number): Promise<MethodFigures | null> {
    const { version, isWatching } = watch;
    const mayServe = isWatching || (read !== null && Math.abs(at - read.at) < RELEASE_TIMES.undetectedMs);
    if (read?.version === version && mayServe) return read.figures;
    const own = { version, at, figures: readFigures() };
    read = own;
    own.figures.catch(() => {
      if (read === own) read = null;
    });
    return own.figures;
  }

  async function build(): Promise<Resource> {
    const at = now();
    const figures = await currentFigures(at);
    const view = methodView(figures, at);
    const notices = view.notices.join('\n');
    if (built?.figures !== figures || built.notices !== notices) {
      built = {
        figures,
        notices,
        page: compressedResource(methodHtml(view, productName), DOCUMENT_HEADERS),
      };
    }
    return built.page;
  }

  return () => lastVersions('/method', build);
}
