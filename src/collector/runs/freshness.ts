import { type Database, epochMs, READ_ONLY, readOnce } from '#database/port.ts';
import { marketState, publishedInstant, sessionOpen, sessionsOverdue } from '#domain/calendar/sessions.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { Source } from '../history/source.ts';
import { readStoredSource } from '../history/store.ts';
import { isPast, toIso } from '../instants.ts';
import { LIVE_LIMITS } from '../live/plan.ts';
import { MISSED_REPORTED, missedPeriods } from '../periods.ts';
import { EVERYTHING } from '../providers/rights.ts';
import { BATCH_TABLE } from '../publish/row-sets.ts';
import type { Job } from './runs.ts';

/** Sources that publish values of an open session. */
const WITHIN_SESSION: readonly MarketSource[] = ['live', 'simulated'];
/** Rows may be this much older (ms) than the period of their run, because providers delay data. */
const PROVIDER_DELAY = 30 * 60_000;

/** The instant (epoch ms) and source of a row set. */
type NewestRows = { at: number; source: MarketSource | null };

/** The newest row set up to `now`; null without one. Ignores rows that a wrong clock dated later. */
export async function readNewestRows(database: Database, now: number): Promise<NewestRows | null> {
  const [row] = await readOnce<NewestRows>(
    database,
    `select ${epochMs('created_at')} as at, source
     from public.${BATCH_TABLE} where created_at <= $1 order by created_at desc limit 1`,
    [toIso(now)],
  );
  return row ?? null;
}

/**
 * How late the newest row set is at `clock` (epoch ms), by the page's rule: the closed sessions whose rows are overdue, or
 * two missed periods within a session. A replay is never late.
 */
export function latenessOf({ at, source }: NewestRows, clock: number, delay = 0) {
  const now = publishedInstant(clock, delay);
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
  return missedPeriods(Math.max(at + PROVIDER_DELAY, sessionOpen(session)), now) >= MISSED_REPORTED;
}

/** The source of the rows shown at `now` (epoch ms); null if the collector wrote none of them. */
export function readShownSource(database: Database, now: number): Promise<MarketSource | null> {
  return database.transaction(async (transaction) => {
    const owner = await readStoredSource(transaction);
    if (owner === null) return null;
    const rows = await transaction.query(
      `select from public.${BATCH_TABLE} where source = $1 and ${isPast('$2')} limit 1`,
      [owner.source, toIso(now)],
    );
    return rows.length > 0 ? owner.source : null;
  }, READ_ONLY);
}

/** A backfill if nothing of the source is shown, or it is further behind than a run corrects; otherwise a collect. */
export async function jobNeeded(database: Database, source: Source, now: number): Promise<Job> {
  if ((await readShownSource(database, now)) !== source.name) return 'backfill';
  if (source.storedSessions === undefined) return 'collect';
  const newest = await readNewestRows(database, now);
  const { delay } = source.publishing?.settings ?? EVERYTHING;
  const behind = newest === null ? 0 : latenessOf(newest, now, delay).sessionsBehind;
  return behind > LIVE_LIMITS.correctedSessions ? 'backfill' : 'collect';
}
