import { dashboardAddresses } from '#queries/read-addresses.ts';
import { readClosesThrough } from '#queries/read-closes.ts';
import { readOrigins } from '#queries/read-origins.ts';
import { createRecordReader } from '#queries/read-record.ts';
import type { TableRead } from '#queries/table-reads.ts';
import type { RecordRows } from '#schema/record-rows.ts';
import { RECORD_VIEWS } from '#schema/tables.ts';
import { marketClockAt } from '#views/market-clock-at.ts';
import type { DashboardView } from '#views/model.ts';
import { recordLine } from '#views/record-view.ts';
import { encode, type Resource } from '../http/resource.ts';
import { failureFields, type Log } from '../log.ts';
import type { MarketWatch } from '../market-watch.ts';
import type { ServerCounts } from '../metrics/metrics.ts';
import type { PageRenderer } from '../page/page-renderer.ts';
import { readView } from '../page/read-view.ts';
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
  /** The same object while nothing was added to it. */
  readonly record: RecordRows;
  /** Inputs without their value; undefined if they are not counted. */
  readonly openGaps: number | undefined;
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
  { inSnapshot, productName, now, countGaps = async () => undefined }: ReleaseOptions,
  readRecord: ReturnType<typeof createRecordReader>,
): Promise<ReleaseRows> {
  const responses = new Map<string, RestResponse>();
  const collect = (read: TableRead, response: RestResponse) => {
    // The page in a browser does not read the record.
    if (!RECORD_VIEWS.some((view) => view === read.table)) responses.set(keyOfRead(read), response);
  };
  const openGaps = await countGaps();
  return inSnapshot(async (send) => {
    const at = now();
    const view = await readView(send, at, productName);
    if (view.sources !== null) await readOrigins(send, view.sources.createdAt);
    await readClosesThrough(send, marketClockAt(at));
    const record = await readRecord(send);
    return { view, record, openGaps, responses, at, until: endOf(at) };
  }, collect);
}

interface ReleaseOptions {
  readonly inSnapshot: SnapshotReads;
  readonly renderer: PageRenderer;
  readonly productName: string;
  /** Counts the inputs without their value. */
  readonly countGaps?: () => Promise<number | undefined>;
  readonly watch: MarketWatch;
  readonly counts: ServerCounts;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  readonly waitMs?: number | undefined;
}

/** Builds the releases of a server. */
export function createServerReleases(options: ReleaseOptions): Releases<Release> {
  const { renderer, watch, counts, now, log, waitMs } = options;
  const readRecord = createRecordReader();
  let previous: ReadonlyMap<string, Resource> = new Map();

  /** Returns the previous release's resource if the response is equal, because it is already compressed. */
  async function toCompressed(key: string, response: RestResponse): Promise<Resource> {
    const plain = readResource(response);
    const before = previous.get(key);
    return before?.tag === plain.tag ? before : { ...plain, ...(await encode(plain.content, 'quick')) };
  }

  return createReleases<ReleaseRows, Release>({
    read: () =>
      readRelease(options, readRecord).catch((error: unknown) => {
        counts.pages.failed += 1;
        throw error;
      }),
    async build(rows) {
      const { view, at } = rows;
      const record = recordLine(rows.record);
      const compressing = [...rows.responses].map(
        async ([key, response]) => [key, await toCompressed(key, response)] as const,
      );
      const [page, responses] = await Promise.all([
        renderer.render({ view, at, record }, rows.openGaps),
        Promise.all(compressing),
      ]);
      previous = new Map(responses);
      counts.pages.made += 1;
      counts.pageSeconds = (now() - at) / 1000;
      return { page, rows, responses: previous, age: null };
    },
    async buildStale({ view, record, openGaps }, release, currentAt) {
      const data = { view, at: currentAt, record: recordLine(record), isStale: true };
      const page = await renderer.render(data, openGaps);
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
