import type { Database } from '#database/port.ts';
import { sessionsOverdue } from '#domain/calendar/overdue.ts';
import { marketState, sessionOpen } from '#domain/calendar/sessions.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { epochMs, toIso } from './instants.ts';
import { MISSED_TOLD, missedPeriods } from './periods.ts';
import { BATCH_TABLE } from './publish/tables.ts';

/** Sources that are read again within a session. */
const WITHIN_SESSION: readonly MarketSource[] = ['live', 'simulated'];
/** Rows of a period may be of so long before it: providers hold figures back. */
const HELD_BACK = 30 * 60_000;

/** The newest row set there is: its instant (epoch ms) and whose. */
export interface NewestRows {
  readonly at: number;
  readonly source: MarketSource | null;
}

/** The newest row set up to `now`; null when there is none. What a wrong clock dated later does not count. */
export async function readNewestRows(database: Database, now: number): Promise<NewestRows | null> {
  const [row] = await database.transaction(
    (transaction) =>
      transaction.query<{ at: number; source: MarketSource | null }>(
        `select ${epochMs('created_at')} as at, source
         from public.${BATCH_TABLE} where created_at <= $1 order by created_at desc limit 1`,
        [toIso(now)],
      ),
    { readOnly: true },
  );
  return row ?? null;
}

/** By how much rows are older than their cadence allows. */
export interface Lateness {
  /** Closed sessions of which there are no rows, though they have had their time. */
  readonly sessionsBehind: number;
  /** Whether the last two periods of the session under way have brought nothing. */
  readonly isBehindWithinSession: boolean;
}

/** How late the newest row set is at `now`, by the rule the page goes by. A replay stands still, and is never late. */
export function latenessOf({ at, source }: NewestRows, now: number): Lateness {
  if (source === 'replay') return { sessionsBehind: 0, isBehindWithinSession: false };
  return {
    sessionsBehind: sessionsOverdue(at, now),
    isBehindWithinSession:
      source !== null && WITHIN_SESSION.includes(source) && isBehindWithinSession(at, now),
  };
}

function isBehindWithinSession(at: number, now: number): boolean {
  const { session } = marketState(now);
  if (session === null) return false;
  return missedPeriods(Math.max(at + HELD_BACK, sessionOpen(session)), now) >= MISSED_TOLD;
}
