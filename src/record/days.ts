import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Transaction } from '#database/port.ts';
import { formatDay, parseDay } from '#domain/calendar/days.ts';
import {
  isSession,
  LATE_FIGURES,
  marketDay,
  newestClosedSession,
  newestOpenedSession,
  type PublicationKind,
  previousSession,
  publicationKind,
  sessionClose,
  startOfMarketDay,
} from '#domain/calendar/sessions.ts';
import type { DashboardView } from '#views/model.ts';
import { contentHash } from './content-hash.ts';
import { appendEntries } from './ledger/append-entries.ts';

/**
 * The version of `DashboardView`. A change that makes older views invalid needs a new version and a conversion in
 * `UPCASTS`.
 */
export const VIEW_VERSION = 1;

/** The conversions of stored views, by version. Each converts a view of that version to the next version. */
const UPCASTS: Readonly<Record<number, (view: unknown) => unknown>> = {};

/** The page of a session, as it was after one of the session's runs. */
export interface PublishedDay {
  readonly session: string;
  /** The kind of run: the closing run, or the final run in the evening. */
  readonly kind: PublicationKind;
  /** Time of the publication (epoch milliseconds). */
  readonly publishedAt: number;
  readonly view: DashboardView;
}

export interface StoredDay extends Omit<PublishedDay, 'view'> {
  /** The view; null if the stored bytes are damaged. */
  readonly view: DashboardView | null;
  /** The JSON text of the view as it was stored; null if the stored bytes are damaged. */
  readonly text: string | null;
  /** True if the text has the hash that was stored with it. */
  readonly isIntact: boolean;
}

/** Returns the session whose page is stored after a run at `now` (epoch ms); null while the exchange is open. */
export function sessionToStore(now: number): string | null {
  const session = newestClosedSession(now);
  return newestOpenedSession(now) === session ? session : null;
}

/**
 * Returns the page at `now` (epoch ms) in the form in which it is stored. Null while the exchange is open, or if the
 * view lacks the closing rows of the newest session.
 */
export function dayOf(view: DashboardView, now: number): PublishedDay | null {
  const session = sessionToStore(now);
  if (session === null || view.age?.asOf.instant !== sessionClose(session)) return null;
  return { session, kind: publicationKind(session, now), publishedAt: now, view };
}

/** Stores the page of a session, unless a page of that session with the same kind and source is stored. */
export async function storeDay(
  transaction: Transaction,
  { session, kind, publishedAt, view }: PublishedDay,
  source: string | null,
): Promise<void> {
  const text = JSON.stringify(view);
  await transaction.query(
    `insert into archive.days (session, kind, published_at, source, view_version, view, sha256)
     values ($1, $2, $3, $4, $5, decode($6, 'base64'), decode($7, 'hex'))
     on conflict (session, kind, source) do nothing`,
    [
      ...[session, kind, new Date(publishedAt).toISOString(), source, VIEW_VERSION],
      ...[deflateRawSync(text).toString('base64'), contentHash(text)],
    ],
  );
  await appendEntries(transaction);
}

/** Reads the last page that was stored for a session; null if none was stored. Throws if its version is unknown. */
export async function readDay(transaction: Transaction, session: string): Promise<StoredDay | null> {
  const [row] = await transaction.query<{
    kind: PublicationKind;
    at: number;
    version: number;
    view: string;
    hash: string;
  }>(
    `select kind, extract(epoch from published_at) * 1000 as at, view_version as version,
       encode(view, 'base64') as view, encode(sha256, 'hex') as hash
     from archive.days where session = $1 and published_at <= now() + interval '1 hour' order by id desc limit 1`,
    [session],
  );
  if (row === undefined) return null;
  const text = inflatedDay(row.view);
  const isIntact = text !== null && contentHash(text) === row.hash;
  return {
    session,
    kind: row.kind,
    publishedAt: row.at,
    view: text === null ? null : readView(text, row.version, isIntact),
    text,
    isIntact,
  };
}

/**
 * Reads the JSON text of a stored page: the last one of a session, or the one with this SHA-256 (64 hexadecimal digits).
 * Null if there is none, or if its bytes are damaged.
 */
export async function readDayText(
  transaction: Transaction,
  session: string,
  sha256: string | null,
): Promise<string | null> {
  const [row] = await transaction.query<{ view: string }>(
    `select encode(view, 'base64') as view from archive.days
     where session = $1 and ($2::text is null or encode(sha256, 'hex') = $2) order by id desc limit 1`,
    [session, sha256],
  );
  return row === undefined ? null : inflatedDay(row.view);
}

/** Decompresses a stored view, which is in base64, to its JSON text; null if it is damaged. */
export function inflatedDay(view: string): string | null {
  try {
    return inflateRawSync(Buffer.from(view, 'base64')).toString();
  } catch {
    return null;
  }
}

/** Parses the JSON text of a view and converts it to the current version; null if the text is damaged. */
function readView(text: string, version: number, isIntact: boolean): DashboardView | null {
  try {
    return currentView(JSON.parse(text), version);
  } catch (error) {
    if (isIntact) throw error;
    return null;
  }
}

/** Converts a stored view to the current version. Throws if its version is newer than this program. */
export function currentView(stored: unknown, version: number): DashboardView {
  let view = stored;
  for (let from = version; from < VIEW_VERSION; from += 1) {
    const upcast = UPCASTS[from];
    if (upcast === undefined)
      throw new Error(
        `The stored day has version ${from}, which this Barometer cannot read. Update this Barometer.`,
      );
    view = upcast(view);
  }
  if (version > VIEW_VERSION) {
    throw new Error(`The stored day has a newer version (${version}). Update this Barometer.`);
  }
  return view as DashboardView;
}

/** A session with data, and the nearest sessions with data before and after it. */
export interface SessionAround {
  readonly session: string;
  /** The time of the session's newest rows (epoch ms), which are those of its close unless they are missing. */
  readonly createdAt: number;
  readonly previous: string | null;
  readonly next: string | null;
  /** The first session in the tables, and the newest closed session of the calendar. */
  readonly first: string;
  readonly newest: string;
}

/** Returns the midnight in New York at which a day ends, as ISO text. */
function startAfter(day: string): string {
  return new Date(startOfMarketDay(formatDay(parseDay(day) + 1))).toISOString();
}

/**
 * Selects times as epoch ms: the newest row before $1, the newest row before the market day of that row, the oldest row
 * from $1 on, and the oldest row.
 */
const SESSION_AROUND = `
  with rows as (select created_at as at from public.market_metrics),
    newest as (select max(at) as at from rows where at < $1::timestamptz),
    day as (select at, date_trunc('day', at, 'America/New_York') as start from newest)
  select extract(epoch from at) * 1000 as at,
    extract(epoch from (select max(at) from rows where at < day.start)) * 1000 as before,
    extract(epoch from (select min(at) from rows where at >= $1::timestamptz)) * 1000 as after,
    extract(epoch from (select min(at) from rows)) * 1000 as first
  from day`;

/** Reads the newest closed session with data up to a day; null if the tables begin later. `now` is epoch ms. */
export async function readSessionAround(
  transaction: Transaction,
  day: string,
  now: number,
): Promise<SessionAround | null> {
  const closed = newestClosedSession(now);
  const last = day < closed ? day : closed;
  const [row] = await transaction.query<{
    at: number | null;
    before: number | null;
    after: number | null;
    first: number | null;
  }>(SESSION_AROUND, [startAfter(last)]);
  if (row === undefined || row.at === null || row.first === null) return null;
  const dayOf = (instant: number | null) => (instant === null ? null : marketDay(instant));
  const next = dayOf(row.after);
  return {
    session: marketDay(row.at),
    createdAt: row.at,
    previous: dayOf(row.before),
    next: next === null || next > closed ? null : next,
    first: marketDay(row.first),
    newest: closed,
  };
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

/** The newest session that has closed. */
export const newestDay = (now: number): string => newestClosedSession(now);

/** Returns the time of the final run of a session (epoch ms). */
export function sessionEvening(session: string): number {
  return sessionClose(session) + LATE_FIGURES;
}
