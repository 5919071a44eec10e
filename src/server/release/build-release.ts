import { dashboardAddresses } from '#queries/read-addresses.ts';
import { readClosesThrough } from '#queries/read-closes.ts';
import { readDashboard } from '#queries/read-dashboard.ts';
import { readOrigins } from '#queries/read-origins.ts';
import type { TableRead } from '#queries/table-reads.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { marketClockAt } from '#views/market-clock-at.ts';
import type { DashboardView } from '#views/model.ts';
import { sourcesView } from '#views/sources-view.ts';
import { encode, type Resource } from '../http/resource.ts';
import { failureFields, type Log } from '../log.ts';
import type { MarketWatch } from '../market-watch.ts';
import type { ServerCounts } from '../metrics/metrics.ts';
import type { PageRenderer } from '../page/page-renderer.ts';
import type { SnapshotReads } from '../page/snapshot-reads.ts';
import type { RestResponse } from '../rest/exchange.ts';
import { readResource } from '../rest/read-resource.ts';
import { keyOfRead } from './read-key.ts';
import { createReleases, RELEASE_TIMES, type Releases, type Span } from './releases.ts';

/** Everything published of one version of the data, read in one snapshot. */
export interface Release {
  readonly page: Resource;
  /** The rows that `documents.ts` builds its documents from; null for the release without rows. */
  readonly rows: ReleaseRows | null;
  /** The responses to the page's own reads, by the keys of `read-key.ts`. */
  readonly responses: ReadonlyMap<string, Resource>;
  /** Whole seconds since the rows were last known to be current; null for a current release. */
  readonly age: (() => number) | null;
}

export interface ReleaseRows extends Span {
  readonly view: DashboardView;
  readonly responses: ReadonlyMap<string, RestResponse>;
}

const MINUTE = 60_000;

/**
 * End of the validity of a release: a minute after its reads, or earlier if the page's reads change their parameters.
 */
function endOf(at: number): number {
  const end = at + RELEASE_TIMES.currentMs;
  const addresses = (instant: number) =>
    JSON.stringify(dashboardAddresses('http://localhost', marketClockAt(instant)));
  // Days and sessions start at a full minute.
  return addresses(at) === addresses(end) ? end : Math.floor(end / MINUTE) * MINUTE;
}

/** Sends every read that the page in a browser sends, and collects the responses. */
async function readRelease(
  inSnapshot: SnapshotReads,
  productName: string,
  now: () => number,
): Promise<ReleaseRows> {
  const responses = new Map<string, RestResponse>();
  const collect = (read: TableRead, response: RestResponse) => responses.set(keyOfRead(read), response);
  return inSnapshot(async (send) => {
    const at = now();
    const clock = marketClockAt(at);
    const rows = await readDashboard(send, clock, { history: true });
    const sources = sourcesView(rows);
    if (sources !== null) await readOrigins(send, sources.createdAt);
    await readClosesThrough(send, clock);
    // The browser reads the timeline only when its chart is opened.
    const shown = { ...rows, fearGreed: { ...rows.fearGreed, timeline: [] } };
    return { view: dashboardView(shown, at, productName), responses, at, until: endOf(at) };
  }, collect);
}

interface ReleaseOptions {
  readonly inSnapshot: SnapshotReads;
  readonly renderer: PageRenderer;
  readonly productName: string;
  readonly watch: MarketWatch;
  readonly counts: ServerCounts;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  readonly waitMs?: number | undefined;
}

/** Builds the releases of a server. */
export function createServerReleases(options: ReleaseOptions): Releases<Release> {
  const { inSnapshot, renderer, productName, watch, counts, now, log, waitMs } = options;
  let previous: ReadonlyMap<string, Resource> = new Map();

  /** Returns the previous release's resource if the response is equal, because it is already compressed. */
  async function toCompressed(key: string, response: RestResponse): Promise<Resource> {
    const plain = readResource(response);
    const before = previous.get(key);
    return before?.tag === plain.tag ? before : { ...plain, ...(await encode(plain.content, 'quick')) };
  }

  return createReleases<ReleaseRows, Release>({
    read: () =>
      readRelease(inSnapshot, productName, now).catch((error: unknown) => {
        counts.pages.failed += 1;
        throw error;
      }),
    async build(rows) {
      const { view, at } = rows;
      const compressing = [...rows.responses].map(
        async ([key, response]) => [key, await toCompressed(key, response)] as const,
      );
      const [page, responses] = await Promise.all([renderer.render({ view, at }), Promise.all(compressing)]);
      previous = new Map(responses);
      counts.pages.made += 1;
      counts.pageSeconds = (now() - at) / 1000;
      return { page, rows, responses: previous, age: null };
    },
    async buildStale({ view }, release, currentAt) {
      const page = await renderer.render({ view, at: currentAt, isStale: true });
      return { ...release, page, age: () => Math.max(0, Math.floor((now() - currentAt) / 1000)) };
    },
    empty: async () => ({ page: await renderer.shell(), rows: null, responses: new Map(), age: null }),
    watch,
    now,
    waitMs,
    onFailure: (error) =>
      log.error('page failed', failureFields(error instanceof Error ? (error.cause ?? error) : error)),
    onRecovery: () => log.info('page is current again'),
  });
}
