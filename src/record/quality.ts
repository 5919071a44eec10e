import { epochMs, type Transaction } from '#database/port.ts';
import { lastSessions, newestPublishableSession, publicationKind } from '#domain/calendar/sessions.ts';
import { type GapCount, type Gaps, gapCount, type Quality, type QualityEvent } from '#views/quality-view.ts';
import { IS_INTACT } from './published-days.ts';

const SESSIONS = 90;
/** SQL condition for rows that are not later than the clock of the database. A clock that was wrong has left the others. */
const notFuture = (column: string) => `${column} <= now() + interval '1 hour'`;
/** Maximum number of events that are read, those of gaps first. Corrections of a long history may be more. */
const MOST_EVENTS = 10_000;

/**
 * Reads the events of the last 90 published sessions. A session was checked for gaps if it was published on its own day and
 * is final. Files have no origins of inputs, so no gap is looked for in them.
 */
async function readGaps(transaction: Transaction, now: number, delay: number): Promise<Gaps> {
  const sessions = lastSessions(newestPublishableSession(now, delay), SESSIONS);
  const first = [sessions[0] ?? null];
  const events = await transaction.query<QualityEvent>(
    `select ${epochMs('at')} as at, session, kind, input, provider, detail, before, after
     from (
       select * from public.quality_events where at >= $1::date and ${notFuture('at')}
       order by kind in ('missing', 'late', 'completed') desc, id desc limit ${MOST_EVENTS}
     ) as newest order by id desc`,
    first,
  );
  const observed = await transaction.query<{ session: string }>(
    `select session from (
       select distinct on (session) session, origin, source from archive.publications
       where session >= $1::date and ${notFuture('published_at')} order by session, id desc
     ) as newest where origin = 'live' and source is distinct from 'csv'`,
    first,
  );
  const published = new Set(observed.map(({ session }) => session));
  const isChecked = (session: string) => published.has(session) && publicationKind(session, now) === 'final';
  return { sessions, unchecked: sessions.filter((session) => !isChecked(session)), events };
}

/** Counts the inputs of the last 90 published sessions that were missing or late and still have no value. */
export const countOpenGaps = async (transaction: Transaction, now: number, delay = 0): Promise<GapCount> =>
  gapCount(await readGaps(transaction, now, delay));

/** Reads the quality of the last 90 published sessions. `now` is epoch ms, `delay` that of publication in sessions. */
export async function readQuality(transaction: Transaction, now: number, delay = 0): Promise<Quality> {
  const gaps = await readGaps(transaction, now, delay);
  const first = gaps.sessions[0] ?? null;
  const [published] = await transaction.query<{ source: string | null }>(
    `select source from archive.publications where session >= $1::date and ${notFuture('published_at')}
     order by session desc, id desc limit 1`,
    [first],
  );
  const damaged = (await damagedPublications(transaction, first)).map(({ session }) => session);
  return { ...gaps, source: published?.source ?? null, damaged };
}

/** Returns the publications since a session (null: all) whose rows do not have the hash that was stored with them. */
export const damagedPublications = (transaction: Transaction, since: string | null) =>
  transaction.query<{ id: number; session: string }>(
    `select id, session::text from archive.publications where session >= $1::date and not (${IS_INTACT}) order by id`,
    [since ?? '-infinity'],
  );
