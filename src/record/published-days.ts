import { epochMs, type Transaction } from '#database/port.ts';
import { parseDay } from '#domain/calendar/days.ts';
import {
  isSession,
  LATE_FIGURES,
  marketDay,
  newestClosedSession,
  previousSession,
  sessionClose,
} from '#domain/calendar/sessions.ts';

/** The last publication of a session's rows on the day of the first one: the rows that visitors saw at the end of that day. */
export interface PublishedDay {
  readonly id: number;
  readonly publishedAt: number;
  /** The formula of the score at that time; null if unknown. */
  readonly formulaVersion: string | null;
  readonly isIntact: boolean;
}

const newYorkDay = (instant: string) => `(${instant} at time zone 'America/New_York')::date`;

/** The SQL condition that a publication's rows have the hash that was stored with them. */
export const IS_INTACT = `sha256 = sha256(convert_to(rows::text, 'UTF8'))`;

/** Reads the last publication of a session on the day of its first one; null if it was published later only. */
export async function readPublishedDay(
  transaction: Transaction,
  session: string,
): Promise<PublishedDay | null> {
  const [row] = await transaction.query<PublishedDay>(
    `select id, ${epochMs('published_at')} as "publishedAt", formula_version as "formulaVersion",
       ${IS_INTACT} as "isIntact"
     from archive.publications
     where created_at_batch = $1 and origin = 'live' and ${newYorkDay('published_at')} = (
       select min(${newYorkDay('published_at')}) from archive.publications
       where created_at_batch = $1 and origin = 'live')
     order by id desc limit 1`,
    [new Date(sessionClose(session)).toISOString()],
  );
  return row ?? null;
}

/** Reads a session's newest published rows, or those with this SHA-256, byte for byte as in the ledger; or null. */
export async function readPublishedText(
  transaction: Transaction,
  session: string,
  sha256: string | null,
): Promise<string | null> {
  const [row] = await transaction.query<{ text: string }>(
    `select rows::text as text from archive.publications
     where created_at_batch = $1 and case when $2::text is null then origin = 'live' else encode(sha256, 'hex') = $2 end
     order by id desc limit 1`,
    [new Date(sessionClose(session)).toISOString(), sha256],
  );
  return row?.text ?? null;
}

/** Returns a function that gives SQL in place of a market table's name: its rows as they were after a publication. */
export function rowsAfter(publication: number): (table: string, columns: ReadonlySet<string>) => string {
  return (table, columns) => {
    const values = Array.from(columns, (column) => {
      if (column === 'created_at') return 'batch as created_at';
      return column === 'source' ? 'source_then as source' : `"${column}"`;
    });
    // A condition on created_at becomes one on the batch, for which there is an index.
    return `(select ${values.join(', ')} from (
        select distinct on (created_at_batch) created_at_batch as batch, source as source_then, rows
        from archive.publications where id <= ${publication} order by created_at_batch desc, id desc
      ) as newest, json_populate_recordset(null::public."${table}", rows -> '${table}')) as past`;
  };
}

/** A session with data, its neighbours, the first one, and the newest closed one. `createdAt` is epoch ms. */
export type SessionAround = Record<'session' | 'first' | 'newest', string> &
  Record<'previous' | 'next', string | null> & { createdAt: number };

/** Reads the newest closed session with data up to a day; null if the tables begin later. `now` is epoch ms. */
export async function readSessionAround(
  transaction: Transaction,
  day: string,
  now: number,
): Promise<SessionAround | null> {
  const [row] = await transaction.query<SessionAround>(
    `with days as (
       select ${newYorkDay('created_at')} as session, max(created_at) as at from public.market_metrics group by 1
     )
     select session, ${epochMs('at')} as "createdAt", $2::date as newest,
       (select max(session) from days where session < day.session) as previous,
       (select min(session) from days where session > day.session and session <= $2) as next,
       (select min(session) from days) as first
     from days as day where session <= least($1::date, $2) order by session desc limit 1`,
    [day, newestClosedSession(now)],
  );
  return row ?? null;
}

/** Returns a text that is a date in the form `YYYY-MM-DD`; null for any other text, and for the year 0. */
export function toDate(text: string): string | null {
  // Postgres has no year 0.
  return Number.isNaN(parseDay(text)) || text.startsWith('0000') ? null : text;
}

/** True if the session of a day has not closed at `now` (epoch ms), or if the day has not begun. */
export function isFuture(date: string, now: number): boolean {
  return date > newestClosedSession(now) && (date > marketDay(now) || isSession(date));
}

/** The newest session of the calendar up to a day. */
export const sessionUpTo = (day: string): string => (isSession(day) ? day : previousSession(day));

/** The newest session that has closed. It is exported here, because the server does not import the calendar. */
export const newestClosedDay = (now: number): string => newestClosedSession(now);

/** The instant (epoch ms) from which a publication of a session is final. */
export function finalFrom(session: string): number {
  return sessionClose(session) + LATE_FIGURES;
}
