import type { Database } from '#database/port.ts';
import { lastSessions } from '#domain/calendar/last-sessions.ts';
import { newestClosedSession } from '#domain/calendar/sessions.ts';
import type { MarketHistory, Member } from '#domain/market-history.ts';
import { isDemonstration } from '#schema/market-source.ts';
import { storeHistory, storePart } from './history/store.ts';
import { loadStored, readStoredSource, type StoredHistory } from './history/stored.ts';
import { SourceError } from './problems.ts';
import type { Input } from './providers/provider.ts';
import { readOriginRecords } from './publish/origins.ts';
import type { Source, SourceReading, SourceRequest } from './sources/source.ts';

/** The market data of one run, under the sessions that the page shows. */
export interface MarketData {
  history: MarketHistory;
  /** The whole universe, including members without bars. */
  members: readonly Member[];
  /** When the open last session was observed (epoch ms); null if it is closed. */
  observedAt: number | null;
  originsOf: SourceReading['originsOf'];
}

/**
 * Reads the source, stores its closed sessions, and returns them together with the data stored before.
 */
export async function readAndStore(
  database: Database,
  source: Source,
  request: Omit<SourceRequest, 'stored' | 'store'>,
): Promise<MarketData> {
  const { now, report, signal } = request;
  let stored = await loadRecent(database, source, now);
  const store: SourceRequest['store'] = async (parts) => {
    let count = 0;
    for await (const part of parts) {
      signal.throwIfAborted();
      await storePart(database, part, source.name);
      count += 1;
    }
    if (count > 0) stored = await loadRecent(database, source, now);
    report({ stage: 'reading', done: 0, total: 1 });
    return stored?.history ?? null;
  };
  report({ stage: 'reading', done: 0, total: 1 });
  const recordOf = await database.transaction(readOriginRecords, { readOnly: true });
  const hasOrigin = (input: Input, session: string) => recordOf(input, session) !== undefined;
  const reading = await source.read({ ...request, stored: stored?.history ?? null, store, hasOrigin });
  const { history: read, members, observedAt, replaced = [] } = reading;
  report({ stage: 'reading', done: 1, total: 1 });
  signal.throwIfAborted();
  if (read.bars.sessions.length === 0 && stored === null) {
    throw new SourceError('The source of market data has no session.');
  }
  const universe = new Set(members.map(({ symbol }) => symbol));
  const replacedSymbols = new Set(replaced);
  const storing = {
    ...{ read, isOpen: observedAt !== null, source: source.name, stored },
    isMember: (symbol: string) => universe.has(symbol),
    isReplaced: (symbol: string) => replacedSymbols.has(symbol),
  };
  const history = await storeHistory(database, storing, (done, total) =>
    report({ stage: 'storing', done, total }),
  );
  return {
    history:
      source.relabel === undefined ? history : relabeled(history, source.relabel(history.sessions, now)),
    members,
    observedAt,
    originsOf: reading.originsOf?.bind(reading),
  };
}

function relabeled(history: MarketHistory, sessions: readonly string[]): MarketHistory {
  const barSessions = sessions.slice(-history.bars.sessions.length);
  return { ...history, sessions, bars: { ...history.bars, sessions: barSessions } };
}

/** Stored data of the last sessions; null if the source returns everything, or nothing of its market is stored. */
async function loadRecent(
  database: Database,
  { name, storedSessions }: Source,
  now: number,
): Promise<StoredHistory | null> {
  if (storedSessions === undefined) return null;
  const last = newestClosedSession(now);
  const first = lastSessions(last, storedSessions)[0] ?? last;
  return database.transaction(
    async (transaction) => {
      const owner = await readStoredSource(transaction);
      if (owner === null || (owner.source !== name && isDemonstration(owner.source))) return null;
      return loadStored(transaction, owner.universe, first, last);
    },
    { readOnly: true },
  );
}
