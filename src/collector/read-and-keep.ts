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

/** All that is known of the market for one run, under the sessions it is shown under. */
export interface Known {
  history: MarketHistory;
  /** The whole universe, with those that have no bar. */
  members: readonly Member[];
  /** When the last session, still open, was observed (epoch ms); null when it is closed. */
  observedAt: number | null;
  originsOf: SourceReading['originsOf'];
}

/**
 * Reads the source, keeps what is closed of it, and answers that together with what was held before. The past
 * that is not held yet is kept part by part before the rest is asked for.
 */
export async function readAndKeep(
  database: Database,
  source: Source,
  request: Omit<SourceRequest, 'held'>,
): Promise<Known> {
  const { now, report, signal } = request;
  let held = await loadRecent(database, source, now);
  if (source.past !== undefined) {
    let parts = 0;
    for await (const part of source.past({ ...request, held: held?.history ?? null })) {
      signal.throwIfAborted();
      await keepPart(database, part, source.word);
      parts += 1;
    }
    if (parts > 0) held = await loadRecent(database, source, now);
  }
  report({ stage: 'reading', done: 0, total: 1 });
  const recordOf = await database.transaction(readOriginRecords, { readOnly: true });
  const isOnRecord = (input: Input, session: string) => recordOf(input, session) !== undefined;
  const reading = await source.read({ ...request, held: held?.history ?? null, isOnRecord });
  const { history: given, members, observedAt, whole = [] } = reading;
  report({ stage: 'reading', done: 1, total: 1 });
  signal.throwIfAborted();
  if (given.bars.sessions.length === 0 && held === null) {
    throw new SourceError('The source of market data has no session at all.');
  }
  const universe = new Set(members.map(({ symbol }) => symbol));
  const comesWhole = new Set(whole);
  const kept = await keepHistory(
    database,
    {
      given: observedAt === null ? given : withoutLastSession(given),
      source: source.word,
      isMember: (symbol) => universe.has(symbol),
      isWhole: (symbol) => comesWhole.has(symbol),
      held,
    },
    (done, total) => report({ stage: 'storing', done, total }),
  );
  const history = observedAt === null ? kept.history : mergeHistories(given, kept.history, kept.covers);
  const known = { members, observedAt, originsOf: reading.originsOf?.bind(reading) };
  if (source.relabel === undefined) return { history, ...known };
  const sessions = source.relabel(history.sessions, now);
  const barSessions = sessions.slice(-history.bars.sessions.length);
  return { history: { ...history, sessions, bars: { ...history.bars, sessions: barSessions } }, ...known };
}

/**
 * What is held of the last sessions, for a source that gives only what is new; null where it gives everything
 * or nothing of its market is held.
 */
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
