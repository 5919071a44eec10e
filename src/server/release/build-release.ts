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
import type { PageMetrics } from '../metrics/page-metrics.ts';
import { type Card, readingCard } from '../page/card/card.ts';
import type { PageRenderer } from '../page/page-renderer.ts';
import type { SnapshotReads } from '../page/snapshot-reads.ts';
import type { RestResponse } from '../rest/exchange.ts';
import { readResource } from '../rest/read-resource.ts';
import { createImages, type Image } from './images.ts';
import { keyOfRead } from './read-key.ts';
import { createReleases, RELEASE_TIMES, type Releases, type Span } from './releases.ts';

/** Everything published of one version of the data, read in one snapshot. */
export interface Release {
  readonly page: Resource;
  /** Null without rows. */
  readonly image: Image | null;
  /** The responses to the page's own reads, by the keys of `read-key.ts`. */
  readonly answers: ReadonlyMap<string, Resource>;
  /** Whole seconds since the rows were last known to be current; null for a current release. */
  readonly age: (() => number) | null;
}

interface ReleaseRows extends Span {
  readonly view: DashboardView;
  readonly responses: ReadonlyMap<string, RestResponse>;
}

const MINUTE = 60_000;

/** The end of a release that is read now: the page's minute, or sooner if its reads get other parameters before. */
function endOf(at: number): number {
  const end = at + RELEASE_TIMES.currentMs;
  const addresses = (instant: number) =>
    JSON.stringify(dashboardAddresses('http://localhost', marketClockAt(instant)));
  // Days and sessions begin with a minute.
  return addresses(at) === addresses(end) ? end : Math.floor(end / MINUTE) * MINUTE;
}

/** Reads everything that the page reads, as its browser does, and keeps the responses. */
async function readRelease(
  inSnapshot: SnapshotReads,
  productName: string,
  now: () => number,
): Promise<ReleaseRows> {
  const responses = new Map<string, RestResponse>();
  const keep = (read: TableRead, response: RestResponse) => responses.set(keyOfRead(read), response);
  return inSnapshot(async (send) => {
    const at = now();
    const clock = marketClockAt(at);
    const rows = await readDashboard(send, clock, { history: true });
    const sources = sourcesView(rows);
    if (sources !== null) await readOrigins(send, sources.createdAt);
    await readClosesThrough(send, clock);
    // The page comes without the timeline, which only its opened chart shows.
    const shown = { ...rows, fearGreed: { ...rows.fearGreed, timeline: [] } };
    return { view: dashboardView(shown, at, productName), responses, at, until: endOf(at) };
  }, keep);
}

interface ReleaseOptions {
  readonly inSnapshot: SnapshotReads;
  /** Resolves once the address of the server is known. */
  readonly renderer: Promise<PageRenderer>;
  readonly productName: string;
  readonly draw: (card: Card) => Promise<Buffer>;
  readonly watch: MarketWatch;
  readonly metrics: PageMetrics;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  readonly patienceMs?: number | undefined;
}

/** Builds the releases of a server. */
export function createServerReleases(options: ReleaseOptions): Releases<Release> {
  const { inSnapshot, renderer, productName, draw, watch, metrics, now, log, patienceMs } = options;
  const imageOf = createImages({ draw, now, log });
  let last: ReadonlyMap<string, Resource> = new Map();

  /** An answer that is the same as in the last release stays the same object, compressed and laid out already. */
  async function toAnswer(key: string, response: RestResponse): Promise<Resource> {
    const plain = readResource(response);
    const before = last.get(key);
    return before?.tag === plain.tag ? before : { ...plain, ...(await encode(plain.content, 'quick')) };
  }

  return createReleases<ReleaseRows, Release>({
    read: () =>
      readRelease(inSnapshot, productName, now).catch((error: unknown) => {
        metrics.failed();
        throw error;
      }),
    async build({ view, at, responses }) {
      const [page, answers] = await Promise.all([
        renderer.then(({ render }) => render({ view, at })),
        Promise.all(
          [...responses].map(async ([key, response]) => [key, await toAnswer(key, response)] as const),
        ),
      ]);
      last = new Map(answers);
      metrics.made(now() - at);
      return { page, image: imageOf(readingCard(view, productName)), answers: last, age: null };
    },
    async buildStale({ view }, release, currentAt) {
      const page = await (await renderer).render({ view, at: currentAt, isStale: true });
      return { ...release, page, age: () => Math.max(0, Math.floor((now() - currentAt) / 1000)) };
    },
    empty: async () => ({ page: await (await renderer).shell(), image: null, answers: new Map(), age: null }),
    watch,
    now,
    patienceMs,
    onFailure: (error) =>
      log.error('page failed', failureFields(error instanceof Error ? (error.cause ?? error) : error)),
    onRecovery: () => log.info('page is current again'),
  });
}
