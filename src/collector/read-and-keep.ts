import type { Database } from '#database/port.ts';
import type { MarketHistory } from '#domain/market-history.ts';
import { keepHistory } from './history/keep.ts';
import { mergeHistories, withoutLastSession } from './history/merge.ts';
import { SourceError } from './problems.ts';
import type { Source, SourceRequest } from './sources/source.ts';

/** All that is known of the market for one run, under the sessions it is shown under. */
export interface Known {
  history: MarketHistory;
  /** When the last session, still open, was observed (epoch ms); null when it is closed. */
  observedAt: number | null;
}

/** Reads the source, keeps what is closed of it, and answers that together with what was held before. */
export async function readAndKeep(
  database: Database,
  source: Source,
  { now, job, problems, report, signal }: Omit<SourceRequest, 'held'>,
): Promise<Known> {
  report({ stage: 'reading', done: 0, total: 1 });
  const {
    history: given,
    members,
    observedAt,
  } = await source.read({ now, job, held: null, problems, report, signal });
  report({ stage: 'reading', done: 1, total: 1 });
  if (given.bars.sessions.length === 0)
    throw new SourceError('The source of market data has no session at all.');
  const closed = observedAt === null ? given : withoutLastSession(given);
  const kept = await keepHistory(database, closed, { source: source.word, members }, (done, total) =>
    report({ stage: 'storing', done, total }),
  );
  const history = observedAt === null ? kept.history : mergeHistories(given, kept.history, kept.covers);
  if (source.relabel === undefined) return { history, observedAt };
  const sessions = source.relabel(history.sessions, now);
  const barSessions = sessions.slice(-history.bars.sessions.length);
  return { history: { ...history, sessions, bars: { ...history.bars, sessions: barSessions } }, observedAt };
}
