import { dashboardAddresses } from '#queries/read-addresses.ts';
import { readClosesThrough } from '#queries/read-closes.ts';
import { readComponents } from '#queries/read-components.ts';
import { readHistory } from '#queries/read-history.ts';
import { readOrigins } from '#queries/read-origins.ts';
import { createRecordReader } from '#queries/read-record.ts';
import type { SendRead } from '#queries/read-rows.ts';
import { readVerdictChanges } from '#queries/read-verdict-changes.ts';
import type { TableRead } from '#queries/table-reads.ts';
import type { FearGreedRow } from '#schema/fear-greed-index.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { RecordRows } from '#schema/record-rows.ts';
import type { VerdictChangeRow } from '#schema/verdict-change.ts';
import { marketClockAt } from '#views/market-clock-at.ts';
import type { DashboardView } from '#views/model.ts';
import { MOST_ENTRIES } from '#views/outputs/feed-entries.ts';
import type { GapCount } from '#views/quality-view.ts';
import { recordLine } from '#views/record-view.ts';
import { encode, type Resource } from '../http/resource.ts';
import { failureFields, type Log } from '../log.ts';
import type { MarketWatch } from '../market-watch.ts';
import type { ServerCounts } from '../metrics/metrics.ts';
import type { PageRenderer } from '../page/page-renderer.ts';
import { readViewAndSource } from '../page/read-view.ts';
import type { SnapshotReads } from '../page/snapshot-reads.ts';
import type { RestResponse } from '../rest/exchange.ts';
import { readResource } from '../rest/read-resource.ts';
import { keyOfRead } from './read-key.ts';
import { createReleases, RELEASE_TIMES, type Releases, type Span } from './releases.ts';

/** All documents and all responses to reads for one version of the data. They come from one snapshot. */
export interface Release {
  readonly page: Resource;
  /** The rows from which `documents.ts` builds its documents; null for the release without rows. */
  readonly rows: ReleaseRows | null;
  /** The responses to the page's own reads, by the keys of `read-key.ts`. */
  readonly responses: ReadonlyMap<string, Resource>;
  /**
   * Returns the seconds since the rows were last known to be current, as a whole number; null for a current release.
   */
  readonly age: (() => number) | null;
}

export interface ReleaseRows extends Span {
  readonly view: DashboardView;
  /** The source of the newest rows. */
  readonly source: MarketSource | null;
  /** All stored rows of Fear & Greed, ascending. */
  readonly fearGreed: readonly FearGreedRow[];
  /** The rows of the record. As long as no row is added, each release has the identical object. */
  readonly record: RecordRows;
  /** The newest changes of the verdict, as many as a feed has entries. */
  readonly verdictChanges: readonly VerdictChangeRow[];
  /** The number of inputs that still have no value; undefined if they are not counted. */
  readonly gaps: GapCount | undefined;
  readonly responses: ReadonlyMap<string, RestResponse>;
}

const MINUTE = 60_000;

/**
 * Returns the end of the validity of a release (epoch ms): a minute after its reads at `at`, or earlier if the page's
 * reads get other parameters before that.
 */
function endOf(at: number): number {
  const end = at + RELEASE_TIMES.currentMs;
  const addresses = (instant: number) =>
    JSON.stringify(dashboardAddresses('http://localhost', marketClockAt(instant)));
  // Days and sessions begin at a full minute, so the parameters change at a full minute.
  return addresses(at) === addresses(end) ? end : Math.floor(end / MINUTE) * MINUTE;
}

type Reader<Rows> = (send: SendRead) => Promise<Rows>;

/** Creates a function that performs this read once for each version of the data. */
function oncePerVersion<Rows>(watch: MarketWatch, read: Reader<Rows>): Reader<Rows> {
  let last: { readonly version: number; readonly rows: Rows } | null = null;
  return async (send) => {
    // Must come before the read, which may miss a commit that is made during the read.
    const { version } = watch;
    if (last?.version === version && watch.isWatching) return last.rows;
    last = { version, rows: await read(send) };
    return last.rows;
  };
}

/**
 * Performs every read that the page performs in a browser, and collects the responses. Then reads the other rows of the
 * release.
 */
async function readRelease(
  { inSnapshot, productName, now, countGaps = async () => undefined }: ReleaseOptions,
  readRest: Reader<Pick<ReleaseRows, 'record' | 'fearGreed' | 'verdictChanges'>>,
): Promise<ReleaseRows> {
  const responses = new Map<string, RestResponse>();
  let isOfPage = true;
  const collect = (read: TableRead, response: RestResponse) => {
    if (isOfPage) responses.set(keyOfRead(read), response);
  };
  const gaps = await countGaps();
  return inSnapshot(async (send) => {
    const at = now();
    const { view, source } = await readViewAndSource(send, at, productName);
    if (view.sources !== null) await readOrigins(send, view.sources.createdAt);
    await readClosesThrough(send, marketClockAt(at));
    await readComponents(send, marketClockAt(at));
    isOfPage = false;
    return { view, source, ...(await readRest(send)), gaps, responses, at, until: endOf(at) };
  }, collect);
}

interface ReleaseOptions {
  readonly inSnapshot: SnapshotReads;
  readonly renderer: PageRenderer;
  readonly productName: string;
  /** Counts the inputs that still have no value. */
  readonly countGaps?: () => Promise<GapCount | undefined>;
  readonly watch: MarketWatch;
  readonly counts: ServerCounts;
  /** Returns the current time (epoch milliseconds). */
  readonly now: () => number;
  readonly log: Log;
  readonly waitMs?: number | undefined;
}

/** Creates the function that builds the releases of a server. */
export function createServerReleases(options: ReleaseOptions): Releases<Release> {
  const { renderer, watch, counts, now, log, waitMs } = options;
  const readRecord = createRecordReader();
  const readHistoryOnce = oncePerVersion(watch, readHistory);
  const readChangesOnce = oncePerVersion(watch, (send) => readVerdictChanges(send, MOST_ENTRIES));
  const readRest = async (send: SendRead) => ({
    record: await readRecord(send),
    fearGreed: await readHistoryOnce(send),
    verdictChanges: await readChangesOnce(send),
  });
  let previous: ReadonlyMap<string, Resource> = new Map();

  /**
   * Returns the resource of the previous release if it has an equal response, because that resource is already
   * compressed.
   */
  async function toCompressed(key: string, response: RestResponse): Promise<Resource> {
    const plain = readResource(response);
    const before = previous.get(key);
    return before?.tag === plain.tag ? before : { ...plain, ...(await encode(plain.content, 'quick')) };
  }

  return createReleases<ReleaseRows, Release>({
    read: () =>
      readRelease(options, readRest).catch((error: unknown) => {
        counts.pages.failed += 1;
        throw error;
      }),
    async build(rows) {
      const { view, at } = rows;
      const record = recordLine(rows.record, rows.source);
      const compressing = [...rows.responses].map(
        async ([key, response]) => [key, await toCompressed(key, response)] as const,
      );
      const [page, responses] = await Promise.all([
        renderer.render({ view, at, record }, rows.gaps),
        Promise.all(compressing),
      ]);
      previous = new Map(responses);
      counts.pages.made += 1;
      counts.pageSeconds = (now() - at) / 1000;
      return { page, rows, responses: previous, age: null };
    },
    async buildStale({ view, source, record, gaps }, release, currentAt) {
      const data = { view, at: currentAt, record: recordLine(record, source), isStale: true };
      const page = await renderer.render(data, gaps);
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
