import type { IncomingMessage } from 'node:http';
import { type Database, READ_ONLY } from '#database/port.ts';
import { dashboardAddresses, requestOf } from '#queries/read-addresses.ts';
import {
  readCloses,
  readComponents,
  readDashboard,
  readOrigins,
  readStocks,
} from '#queries/read-dashboard.ts';
import { readFearGreedRows, readRecord, readVerdictChanges } from '#queries/read-record.ts';
import type { SendRead } from '#queries/read-rows.ts';
import type { TableRead } from '#queries/table-reads.ts';
import { readLedgerAnchors } from '#record/ledger/stored-anchors.ts';
import { countOpenGaps } from '#record/quality.ts';
import { readNewestOutlook } from '#record/record-risk.ts';
import type { FearGreedRow } from '#schema/columns.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { LedgerAnchors, RecordRows, VerdictChangeRow } from '#schema/record-rows.ts';
import { type DashboardView, dashboardView } from '#views/dashboard-view.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import type { CurrentData, CurrentRisk } from '#views/outputs/data-state.ts';
import { MOST_ENTRIES } from '#views/outputs/feed-entries.ts';
import { sessionsBehindAt } from '#views/page-texts.ts';
import type { GapCount } from '#views/quality-view.ts';
import { recordLine, weeksOfMarket } from '#views/record-view.ts';
import { currentOutlook, riskLine } from '#views/risk-view.ts';
import { sourceOf } from '#views/sources-view.ts';
import { trailView } from '#views/trail-view.ts';
import { encode, type Resource } from '../http/response.ts';
import { failureFields } from '../log.ts';
import type { ServerCounts } from '../metrics/counters.ts';
import type { RestResponse } from '../rest/exchange.ts';
import { resourceOfRead, type SnapshotReads } from '../rest/read.ts';
import { type CachedValue, type CacheOptions, CURRENT_MS, createCachedValue } from './cached-value.ts';
import type { Document, DocumentParts } from './document.ts';

/** The page and all responses to its reads for one version of the data, from one snapshot. */
export interface Release {
  readonly page: Resource;
  /** The rows from which other documents are built; null for the release without rows. */
  readonly rows: ReleaseRows | null;
  /** The responses to the page's own reads, by the keys of `keyOfRead`. */
  readonly responses: ReadonlyMap<string, Resource>;
}

export interface ReleaseRows {
  /** Time of the reads (epoch ms). */
  readonly at: number;
  readonly view: DashboardView;
  readonly source: MarketSource | null;
  readonly fearGreed: readonly FearGreedRow[];
  readonly record: RecordRows;
  /** The newest changes of the verdict, as many as a feed has entries. */
  readonly verdictChanges: readonly VerdictChangeRow[];
  /** The newest risk outlook; null without one. */
  readonly risk: CurrentRisk;
  /** The number of inputs that still have no value; undefined if they are not counted. */
  readonly gaps: GapCount | undefined;
  readonly anchors: LedgerAnchors;
}

/** Returns the rows of a release. Throws for the release without rows. */
export function rowsOf({ rows }: Release): ReleaseRows {
  if (rows === null) throw new Error('The data has not been read yet. Wait until the database responds.');
  return rows;
}

export interface OutputData extends CurrentData {
  readonly rows: ReleaseRows;
}

/** Returns the data of a release at an instant (epoch ms). Throws for the release without rows. */
export function outputDataOf(release: Release, now: number): OutputData {
  const rows = rowsOf(release);
  const { view, source } = rows;
  const risk = currentOutlook(rows.risk, now);
  return { view, source, sessionsBehind: sessionsBehindAt(view.age, now), risk, rows };
}

export const REST_PREFIX = '/rest/v1';

const keyOf = (url: string, prefer: string | string[] | undefined) =>
  prefer === undefined ? url : `${url}\n${prefer}`;

export function keyOfRead(read: TableRead): string {
  const { query, headers: { Prefer: prefer } = {} } = requestOf(read);
  return keyOf(`${REST_PREFIX}/${read.table}?${query}`, prefer);
}

const isPlainList = (accept: string | undefined) =>
  accept === undefined || accept === '*/*' || accept === 'application/json';

/** Returns a function that computes the key of a request in a release; null if the gate might respond differently. */
export function requestKeys(publicKey: string): (request: IncomingMessage) => string | null {
  const bearer = `Bearer ${publicKey}`;
  const parameter = `&apikey=${publicKey}`;
  return ({ method, url = '', headers }) => {
    if (method !== 'GET' && method !== 'HEAD') return null;
    const { accept, apikey, authorization, prefer, range } = headers;
    if (!isPlainList(accept) || range !== undefined || headers['accept-profile'] !== undefined) return null;
    if (apikey !== undefined && apikey !== publicKey) return null;
    if (authorization !== undefined && authorization !== bearer) return null;
    if (url.endsWith(parameter)) return keyOf(url.slice(0, -parameter.length), prefer);
    if (apikey === undefined && authorization === undefined) return null;
    return keyOf(url, prefer);
  };
}

const MINUTE = 60_000;

/** Returns the end of a release's validity (epoch ms): a minute after `at`, or earlier if the parameters of the reads change. */
function endOf(at: number): number {
  const end = at + CURRENT_MS;
  const addresses = (instant: number) =>
    JSON.stringify(dashboardAddresses('http://localhost', marketClockAt(instant)));
  // Days and sessions begin at a full minute, so the parameters change at a full minute.
  return addresses(at) === addresses(end) ? end : Math.floor(end / MINUTE) * MINUTE;
}

type DocumentRows = Pick<ReleaseRows, 'record' | 'fearGreed' | 'verdictChanges'>;

interface ReleaseOptions extends CacheOptions, Pick<DocumentParts, 'renderer' | 'productName' | 'log'> {
  readonly counts: ServerCounts;
  readonly inSnapshot: SnapshotReads;
  readonly readInternal: () => ReturnType<typeof readInternalRows>;
}

/** Reads the parts of a release for which `anon` has no rights. */
export const readInternalRows = (
  database: Database,
  now: number,
  publishDelay?: number,
): Promise<Pick<ReleaseRows, 'risk' | 'gaps' | 'anchors'>> =>
  database.transaction(
    async (transaction) => ({
      risk: await readNewestOutlook(transaction),
      gaps: await countOpenGaps(transaction, now, publishDelay),
      anchors: await readLedgerAnchors(transaction),
    }),
    READ_ONLY,
  );

/** The parts of the page at an instant (epoch ms) that come from the record. */
const recordedOf = ({ record, source, risk }: ReleaseRows, now: number) => ({
  record: recordLine(record, source),
  risk: riskLine(risk, now),
  trail: trailView(weeksOfMarket(record, source)),
});

/** Creates the releases of a server. Each has every read that the page performs in a browser. */
export function createReleases(options: ReleaseOptions): CachedValue<Release> {
  const { inSnapshot, renderer, productName, watch, counts, now, log } = options;
  /** The rows that no browser reads. They are read once for each version of the data, not for each minute. */
  let cached: { readonly version: number; readonly rows: DocumentRows } | null = null;

  async function readDocumentRows(send: SendRead, version: number): Promise<DocumentRows> {
    if (cached?.version === version && watch.isWatching) return cached.rows;
    const record = await readRecord(send);
    const fearGreed = await readFearGreedRows(send);
    const verdictChanges = await readVerdictChanges(send, MOST_ENTRIES);
    cached = { version, rows: { record, fearGreed, verdictChanges } };
    return cached.rows;
  }

  async function read() {
    // Must come before the reads, which may miss a commit that is made during the reads.
    const { version } = watch;
    const responses = new Map<string, RestResponse>();
    let isOfPage = true;
    const collect = (tableRead: TableRead, response: RestResponse) => {
      if (isOfPage) responses.set(keyOfRead(tableRead), response);
    };
    const internal = await options.readInternal();
    return inSnapshot(async (send) => {
      const at = now();
      const dashboard = await readDashboard(send, marketClockAt(at), true);
      const source = sourceOf(dashboard);
      // The browser reads the timeline when its chart is opened.
      const shown = { ...dashboard, fearGreed: { ...dashboard.fearGreed, timeline: [] } };
      const view = dashboardView(shown, at, productName);
      if (view.sources !== null) await readOrigins(send, view.sources.createdAt);
      await readCloses(send, marketClockAt(at));
      await readComponents(send, marketClockAt(at));
      await readStocks(send);
      isOfPage = false;
      const rows = { at, view, source, ...(await readDocumentRows(send, version)), ...internal };
      return { rows, responses };
    }, collect);
  }

  return createCachedValue<Release>({
    ...options,
    isEager: true,
    endOf,
    async build(onRead) {
      const { rows, responses: plain } = await read().catch((error: unknown) => {
        counts.pages.failed += 1;
        throw error;
      });
      onRead();
      const { view, at } = rows;
      const recorded = recordedOf(rows, at);
      const compressing = [...plain].map(async ([key, response]) => {
        const resource = resourceOfRead(response);
        return [key, { ...resource, ...(await encode(resource.content, 'quick')) }] as const;
      });
      const [page, responses] = await Promise.all([
        renderer.render({ view, at, ...recorded }, rows.gaps),
        Promise.all(compressing),
      ]);
      counts.pages.made += 1;
      counts.pageSeconds = (now() - at) / 1000;
      return { page, rows, responses: new Map(responses) };
    },
    async buildStale(release, currentAt) {
      if (release.rows === null) return release;
      const { view, gaps } = release.rows;
      const data = { view, at: currentAt, ...recordedOf(release.rows, currentAt), isStale: true };
      return { ...release, page: await renderer.render(data, gaps) };
    },
    empty: async () => ({ page: await renderer.shell(), rows: null, responses: new Map() }),
    onFailure: (error) =>
      log.error('page failed', failureFields(error instanceof Error ? (error.cause ?? error) : error)),
    onRecovery: () => log.info('page is current again'),
  });
}

export function servePage(releases: Pick<CachedValue<Release>, 'current'>): Document['serve'] {
  return async () => {
    const { value, age } = await releases.current();
    return { value: value.page, age };
  };
}
