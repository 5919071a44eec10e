import { epochMs, type Transaction } from '#database/port.ts';
import { lastSessions, newestPublishableSession, publicationKind } from '#domain/calendar/sessions.ts';
import type { GapCount, Quality, QualityEvent } from '#views/quality-view.ts';
import { IS_INTACT } from './published-days.ts';

const SESSIONS = 90;
/** SQL condition for rows that are not later than the clock of the database. A clock that was wrong has left the others. */
const notFuture = (column: string) => `${column} <= now() + interval '1 hour'`;
/** Maximum number of events that are read: more than 90 sessions have if every input of each session is late. */
const MOST_EVENTS = 10_000;

/**
 * Reads the events of the last 90 published sessions, and checks their hashes. `now` is epoch ms, `delay` that of
 * publication in sessions.
 */
export async function readQuality(transaction: Transaction, now: number, delay = 0): Promise<Quality> {
  const sessions = lastSessions(newestPublishableSession(now, delay), SESSIONS);
  const first = sessions[0] ?? null;
  const events = await transaction.query<QualityEvent & Record<string, unknown>>(
    `select ${epochMs('at')} as at, session, kind, input, provider, detail, before, after
     from public.quality_events where at >= $1::date and ${notFuture('at')} order by id desc limit ${MOST_EVENTS}`,
    [first],
  );
  const [published] = await transaction.query<{ source: string | null }>(
    `select source from archive.publications where session >= $1::date and ${notFuture('published_at')}
     order by session desc, id desc limit 1`,
    [first],
  );
  const checked = await sessionsWithKnownGaps(transaction, sessions, now);
  return {
    sessions,
    unchecked: sessions.filter((session) => !checked.has(session)),
    source: published?.source ?? null,
    events,
    damaged: (await damagedPublications(transaction, first)).map(({ session }) => session),
  };
}

/** The sessions that were published on their own day and are final, so that their gaps are known. Files have no origins of inputs. */
async function sessionsWithKnownGaps(
  transaction: Transaction,
  sessions: readonly string[],
  now: number,
): Promise<ReadonlySet<string>> {
  const observed = await transaction.query<{ session: string }>(
    `select session from (
       select distinct on (session) session, origin, source from archive.publications
       where session >= $1::date and ${notFuture('published_at')} order by session, id desc
     ) as newest where origin = 'live' and source is distinct from 'csv'`,
    [sessions[0] ?? null],
  );
  const published = new Set(observed.map(({ session }) => session));
  return new Set(
    sessions.filter((session) => published.has(session) && publicationKind(session, now) === 'final'),
  );
}

/** Counts the inputs of the last 90 published sessions that were missing or late and still have no value. */
export async function countOpenGaps(transaction: Transaction, now: number, delay = 0): Promise<GapCount> {
  const sessions = lastSessions(newestPublishableSession(now, delay), SESSIONS);
  const [first = ''] = sessions;
  const [row] = await transaction.query<{ gaps: number }>(
    `select count(*) as gaps from public.quality_events gap
     where kind in ('missing', 'late') and session >= $1::date and ${notFuture('at')} and not exists (
       select from public.quality_events
       where event_key = concat_ws(' ', 'completed', gap.session, gap.input)
     )`,
    [first],
  );
  const checked = await sessionsWithKnownGaps(transaction, sessions, now);
  return { open: row?.gaps ?? 0, checked: checked.size, sessions: sessions.length };
}

/** Returns the publications since a session (null: all) whose rows do not have the hash that was stored with them. */
export const damagedPublications = (transaction: Transaction, since: string | null) =>
  transaction.query<{ id: number; session: string }>(
    `select id, session::text from archive.publications where session >= $1::date and not (${IS_INTACT}) order by id`,
    [since ?? '-infinity'],
  );
