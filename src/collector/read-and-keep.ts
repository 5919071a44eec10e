import type { Database } from '#database/port.ts';
import { lastSessions } from '#domain/calendar/last-sessions.ts';
import { newestClosedSession } from '#domain/calendar/sessions.ts';
import type { MarketHistory, Member } from '#domain/market-history.ts';
import { isDemonstration } from './demonstration.ts';
import { type Held, loadHeld, readHolding } from './history/held.ts';
import { keepHistory, keepPart } from './history/keep.ts';
import { mergeHistories, withoutLastSession } from './history/merge.ts';
import { SourceError } from './problems.ts';
import type { Input } from './providers/provider.ts';
import { readOriginRecords } from './publish/origins.ts';
import type { Source, SourceReading, SourceRequest } from './sources/source.ts';

/** The market data of one run, under the sessions that the page shows. */
export interface Known {
  history: MarketHistory;
  /** The whole universe, including members without bars. */
  members: readonly Member[];
  /** When the open last session was observed (epoch ms); null if it is closed. */
  observedAt: number | null;
  originsOf: SourceReading['originsOf'];
}

/**
 * Reads the source, stores its closed sessions, and returns them together with the data stored before. A backfill is
 * stored part by part before the source is read.
 */
export async function readAndKeep(
  database: Database,
  source: Source,
  request: Omit<SourceRequest, 'stored'>,
): Promise<Known> {
  const { now, report, signal } = request;
  let held = await loadRecent(database, source, now);
  if (source.backfill !== undefined) {
    let parts = 0;
    for await (const part of source.backfill({ ...request, stored: held?.history ?? null })) {
      signal.throwIfAborted();
      await keepPart(database, part, source.word);
      parts += 1;
    }
    if (parts > 0) held = await loadRecent(database, source, now);
  }
  report({ stage: 'reading', done: 0, total: 1 });
  const recordOf = await database.transaction(readOriginRecords, { readOnly: true });
  const hasOrigin = (input: Input, session: string) => recordOf(input, session) !== undefined;
  const reading = await source.read({ ...request, stored: held?.history ?? null, hasOrigin });
  const { history: read, members, observedAt, replaced = [] } = reading;
  report({ stage: 'reading', done: 1, total: 1 });
  signal.throwIfAborted();
  if (read.bars.sessions.length === 0 && held === null) {
    throw new SourceError('The source of market data has no session.');
  }
  const universe = new Set(members.map(({ symbol }) => symbol));
  const replacedSymbols = new Set(replaced);
  const kept = await keepHistory(
    database,
    {
      given: observedAt === null ? read : withoutLastSession(read),
      source: source.word,
      isMember: (symbol) => universe.has(symbol),
      isWhole: (symbol) => replacedSymbols.has(symbol),
      held,
    },
    (done, total) => report({ stage: 'storing', done, total }),
  );
  const history = observedAt === null ? kept.history : mergeHistories(read, kept.history, kept.covers);
  const known = { members, observedAt, originsOf: reading.originsOf?.bind(reading) };
  if (source.relabel === undefined) return { history, ...known };
  const sessions = source.relabel(history.sessions, now);
  const barSessions = sessions.slice(-history.bars.sessions.length);
  return { history: { ...history, sessions, bars: { ...history.bars, sessions: barSessions } }, ...known };
}

/** Stored data of the last sessions; null if the source returns everything, or nothing of its market is stored. */
async function loadRecent(database: Database, { word, reach }: Source, now: number): Promise<Held | null> {
  if (reach === undefined) return null;
  const last = newestClosedSession(now);
  const first = lastSessions(last, reach)[0] ?? last;
  return database.transaction(
    async (transaction) => {
      const holding = await readHolding(transaction);
      if (holding === null || (holding.source !== word && isDemonstration(holding.source))) return null;
      return loadHeld(transaction, holding.universe, { first, last });
    },
    { readOnly: true },
  );
}
