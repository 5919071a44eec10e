import { type FearGreedSessionRow, parseFearGreedSession } from '#schema/fear-greed-session.ts';
import type { MarketClock } from './market-clock.ts';
import { readRows, type SendRead } from './read-rows.ts';
import { sessionComponents } from './table-reads.ts';

/** The components of Fear & Greed at the end of each session of the last 365 days, ascending. Throws QueryError. */
export const readComponents = (send: SendRead, clock: MarketClock): Promise<FearGreedSessionRow[]> =>
  readRows(send, sessionComponents(clock), parseFearGreedSession);
