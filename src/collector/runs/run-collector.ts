import { type Database, epochMs, READ_ONLY, readOnce, type Transaction } from '#database/port.ts';
import {
  isSessionClose,
  lastSessions,
  marketDay,
  newestClosedSession,
  newestPublishableSession,
  sessionClose,
} from '#domain/calendar/sessions.ts';
import type { MarketHistory, SeriesName } from '#domain/market-history.ts';
import { computeMarketReadings, snapshotAt } from '#domain/readings/market-readings.ts';
import { quoteStocks } from '#domain/readings/quotes.ts';
import { isDemonstration, type MarketSource } from '#schema/market-source.ts';
import { STOCKS_TABLE } from '#schema/tables.ts';
import { DEADLINES, withDeadline } from '../deadline.ts';
import type { Report, Source, SourceReading, SourceRequest } from '../history/source.ts';
import {
  loadStored,
  readStoredSource,
  type StoredHistory,
  storeBackfillPart,
  storeHistory,
} from '../history/store.ts';
import { checkClockNotAhead, isPast, toIso } from '../instants.ts';
import { LIVE_LIMITS } from '../live/plan.ts';
import { createProblems, type Problems, SourceError } from '../problems.ts';
import { type OriginRecords, readOriginRecords, withRecords } from '../publish/origins.ts';
import { type BeforeCommit, publish } from '../publish/publish.ts';
import { storeRights } from '../publish/published-rights.ts';
import { BATCH_TABLE, type RightOf, type RowSet, stockRows, toRows } from '../publish/row-sets.ts';
import { removeExpired } from './retention.ts';
import { type Job, type RunReport, recordRun } from './runs.ts';

/** Number of newest batches among which the newest closing row set is searched. */
const SEARCHED_BATCHES = 500;

export interface RunOptions {
  database: Database;
  source: Source;
  /** Epoch ms. */
  now: () => number;
  report?: Report | undefined;
  /** Aborts when the run must end. Published rows stay. */
  signal?: AbortSignal | undefined;
  /** True for a run of the schedule. */
  isScheduled?: boolean | undefined;
  beforeCommit?: BeforeCommit | undefined;
  /** Belongs to the run: if it throws, the run has failed. `database` calls `checkHeld` in each transaction that writes. */
  afterPublish?(database: Database): Promise<void>;
  /** True if the operator states that the clock is right: removes the rows dated later, instead of a refusal to run. */
  removesFuture?: boolean | undefined;
  /** Throws if another process has taken over the run. Called in every transaction that writes. */
  checkHeld?(transaction: Transaction): Promise<void>;
}

/**
 * Reads the source, stores its history, and publishes the newest session and all closed ones since the newest
 * published; a backfill publishes all with bars. Replaces rows that differ; for the live source only those of its
 * last ten sessions. A failed run leaves all rows and throws its reason.
 */
export async function runCollector(job: Job, options: RunOptions): Promise<RunReport> {
  const {
    source,
    now,
    report = () => undefined,
    isScheduled = false,
    removesFuture = false,
    checkHeld,
  } = options;
  const problems = createProblems();
  const isLive = source.name === 'live';
  const database = checkHeld === undefined ? options.database : checked(options.database, checkHeld);
  const record = {
    ...{ job, source: source.name, now, problems, isScheduled, signal: options.signal },
    calls: () => source.calls?.() ?? [],
    beforeCommit: options.beforeCommit,
    afterPublish: async () => options.afterPublish?.(database),
  };
  return recordRun(options.database, record, () =>
    withDeadline(isLive ? DEADLINES[job] : null, options.signal, async (signal) => {
      const at = now();
      await checkClockNotAhead(database, at);
      const recordOf = await database.transaction(readOriginRecords, READ_ONLY);
      const data = await fetchAndStore(
        database,
        source,
        { now: at, job, problems, report, signal },
        recordOf,
      );
      const rightOf = await storeRights(database, source);
      const delay = source.publishing?.settings.delay ?? 0;
      const isPublishable = (session: string) =>
        delay === 0 || session <= newestPublishableSession(at, delay);
      const publishable = data.history.bars.sessions.filter(isPublishable);
      const isOpen = data.observedAt !== null && delay === 0;
      const closed = publishable.slice(0, isOpen ? -1 : undefined);
      // A backfill publishes all sessions, as does a source that moves them: yesterday's dates had other values.
      // A collection without published rows publishes the last session only.
      // One that removes rows of the future publishes the newest published close again, or all sessions without one.
      const isWhole = job === 'backfill' || source.relabel !== undefined;
      const newestClosed = isWhole ? '' : await newestClosedPublished(database, at);
      // A backfill from files replaces all rows that differ.
      const corrects = isLive || (source.name === 'csv' && newestClosed);
      const correctsFrom = corrects ? (closed.slice(-LIVE_LIMITS.correctedSessions)[0] ?? null) : null;
      const newest = removesFuture ? (newestClosed ?? '') : newestClosed;
      const sessions = publishable.filter(
        (session, place, { length }) =>
          place === length - 1 ||
          (correctsFrom !== null && session >= correctsFrom) ||
          (newest !== null && session > newest) ||
          (removesFuture && session === newest),
      );
      report({ stage: 'computing', done: 0, total: sessions.length });
      const history = withRights(data.history, rightOf);
      const rowSets = computeRowSets({ ...data, history }, sessions, {
        source: source.name,
        problems,
        rightOf,
      }).map((rowSet) =>
        data.originsOf === undefined || (correctsFrom !== null && rowSet.session < correctsFrom)
          ? rowSet
          : { ...rowSet, origins: withRecords(data.originsOf(rowSet.session), recordOf) },
      );
      report({ stage: 'computing', done: sessions.length, total: sessions.length });
      const done = await publish(database, rowSets, {
        ...{ source: source.name, now: at, clock: now, delay, correctsFrom, problems, report, signal },
        removesFuture,
        calls: record.calls,
        beforeCommit: record.beforeCommit,
      });
      await database.transaction((transaction) => removeExpired(transaction, at, source.name));
      return { firstSession: sessions[0] ?? null, lastSession: sessions.at(-1) ?? null, ...done };
    }),
  );
}

/** The history without the series that may not even be used. Throws SourceError if the bars may not be used. */
function withRights(history: MarketHistory, rightOf: RightOf): MarketHistory {
  if (rightOf('bars') === 'none') {
    throw new SourceError(
      'The stored daily bars may not be used for AUDIENCE=public. State your licences in LICENSES, or begin with a new database.',
    );
  }
  const series = Object.entries(history.series).filter(([name]) => rightOf(name as SeriesName) !== 'none');
  return { ...history, series: Object.fromEntries(series) };
}

/** Wraps a database so that every transaction that writes calls `check` first. */
function checked(database: Database, check: (transaction: Transaction) => Promise<void>): Database {
  return {
    ...database,
    transaction: (work, options) =>
      database.transaction(async (transaction) => {
        if (options?.readOnly !== true) await check(transaction);
        return work(transaction);
      }, options),
  };
}

/** Fetches the source's data and stores its closed sessions. Returns it completed with the data stored before. */
async function fetchAndStore(
  database: Database,
  source: Source,
  request: Omit<SourceRequest, 'stored' | 'hasOrigin'>,
  recordOf: OriginRecords,
): Promise<SourceReading> {
  const { now, report, signal } = request;
  report({ stage: 'reading', done: 0, total: 1 });
  let stored = await loadRecent(database, source, now);
  const plan = await source.plan({
    ...request,
    stored: stored?.history ?? null,
    hasOrigin: (input, session) => recordOf(input, session) !== undefined,
  });
  let parts = 0;
  for await (const part of plan.missing ?? []) {
    signal.throwIfAborted();
    await storeBackfillPart(database, part, source.name);
    parts += 1;
  }
  if (parts > 0) stored = await loadRecent(database, source, now);
  report({ stage: 'reading', done: 0, total: 1 });
  const reading = await plan.read(stored?.history ?? null);
  report({ stage: 'reading', done: 1, total: 1 });
  signal.throwIfAborted();
  if (reading.history.bars.sessions.length === 0 && stored === null) {
    throw new SourceError('The source of market data has no session. Run doctor for the reasons.');
  }
  const history = await storeHistory(
    database,
    reading,
    { source: source.name, loaded: stored, axisFrom: source.axisFrom?.(now) },
    (done, total) => report({ stage: 'storing', done, total }),
  );
  const sessions = source.relabel?.(history.sessions, now);
  return { ...reading, history: sessions === undefined ? history : relabeled(history, sessions) };
}

function relabeled(history: MarketHistory, sessions: readonly string[]): MarketHistory {
  const barSessions = sessions.slice(-history.bars.sessions.length);
  return { ...history, sessions, bars: { ...history.bars, sessions: barSessions } };
}

/** Stored data of the last sessions; null without any, and if the source returns all data in each run. */
async function loadRecent(
  database: Database,
  { name, storedSessions, axisFrom }: Source,
  now: number,
): Promise<StoredHistory | null> {
  if (storedSessions === undefined) return null;
  const last = newestClosedSession(now);
  const first = lastSessions(last, storedSessions)[0] ?? last;
  return database.transaction(async (transaction) => {
    const owner = await readStoredSource(transaction);
    if (owner === null || (owner.source !== name && isDemonstration(owner.source))) return null;
    return loadStored(transaction, owner.universe, { first, last, axisFrom: axisFrom?.(now) });
  }, READ_ONLY);
}

/** The row sets of sessions, the stocks with the newest one. Notes implausible moves, which the indicators omit. */
function computeRowSets(
  { history, members, observedAt }: SourceReading,
  sessions: readonly string[],
  { source, problems, rightOf }: { source: MarketSource; problems: Problems; rightOf: RightOf },
): RowSet[] {
  const readings = computeMarketReadings(history, {
    lastSessionOpen: observedAt !== null,
    sectors: members.map(({ sector }) => sector),
  });
  const first = sessions[0] ?? '';
  const last = history.sessions.at(-1);
  const leftOut = new Set<string>();
  for (const { symbol, session, move } of readings.flaggedMoves) {
    if (session === last) leftOut.add(symbol);
    if (session < first) continue;
    const percent = (100 * move).toFixed(0);
    problems.note(
      'one-day move',
      `${symbol} moved ${percent} % on ${session} and is left out of that session`,
    );
  }
  return sessions.flatMap((session) => {
    const snapshot = snapshotAt(readings, session);
    if (snapshot === null) return [];
    const createdAt = session === last && observedAt !== null ? observedAt : sessionClose(session);
    const rows = toRows(snapshot, source, rightOf);
    // Each stock shows the number of a provider.
    if (session !== last || rightOf('bars') !== 'value') return [{ session, createdAt, rows }];
    const quotes = quoteStocks(history.bars, {
      isOpen: observedAt !== null,
      isLeftOut: (symbol) => leftOut.has(symbol),
    });
    const withStocks = new Map([...rows, [STOCKS_TABLE, stockRows(quotes, source)]]);
    return [{ session, createdAt, rows: withStocks }];
  });
}

/** The newest session with a published closing row set; null without one. Ignores rows dated in the future. */
async function newestClosedPublished(database: Database, now: number): Promise<string | null> {
  const batches = await readOnce<{ at: number }>(
    database,
    `select ${epochMs('created_at')} as at from public.${BATCH_TABLE}
     where source is not null and ${isPast('$1')} order by created_at desc limit ${SEARCHED_BATCHES}`,
    [toIso(now)],
  );
  const closing = batches.find(({ at }) => isSessionClose(at));
  return closing === undefined ? null : marketDay(closing.at);
}
