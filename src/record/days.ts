import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Transaction } from '#database/port.ts';
import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { LATE_FIGURES, type PublicationKind, publicationKind } from '#domain/calendar/publication.ts';
import {
  isSession,
  marketDay,
  newestClosedSession,
  newestOpenedSession,
  sessionClose,
  startOfMarketDay,
} from '#domain/calendar/sessions.ts';
import type { DashboardView } from '#views/model.ts';
import { contentHash } from './content-hash.ts';
import { appendEntries } from './ledger/append-entries.ts';

/** The version of `DashboardView`. A change that older views lack needs a new version and a step in `UPCASTS`. */
export const VIEW_VERSION = 1;

/** By version: turns a view of that version into one of the next. */
const UPCASTS: Readonly<Record<number, (view: unknown) => unknown>> = {};

/** The page of a session after one of its runs. */
export interface PublishedDay {
  readonly session: string;
  /** After the closing run, or after the final run in the evening. */
  readonly kind: PublicationKind;
  /** Epoch ms. */
  readonly publishedAt: number;
  readonly view: DashboardView;
}

export interface StoredDay extends Omit<PublishedDay, 'view'> {
  /** Null if the stored bytes are damaged. */
  readonly view: DashboardView | null;
  /** The JSON text of the view as it was stored; null if the stored bytes are damaged. */
  readonly text: string | null;
  /** False if the text does not have the hash that was stored with it. */
  readonly isIntact: boolean;
}

/**
 * The stored form of a page at `now` (epoch ms). Null while the exchange is open, or if the view lacks the closing rows of
 * the newest session.
 */
export function dayOf(view: DashboardView, now: number): PublishedDay | null {
  const session = newestClosedSession(now);
  const isClosing = view.age?.asOf.instant === sessionClose(session);
  if (!isClosing || newestOpenedSession(now) !== session) return null;
  return { session, kind: publicationKind(session, now), publishedAt: now, view };
}

/** Stores the page of a session, unless one of the same kind and source is stored. */
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

/** Reads the page of a session as it was published last; null if none was stored. Throws if its version is unknown. */
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
     from archive.days where session = $1 order by id desc limit 1`,
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

/** The JSON text of a stored view, which is in base64; null if it is damaged. */
export function inflatedDay(view: string): string | null {
  try {
    return inflateRawSync(Buffer.from(view, 'base64')).toString();
  } catch {
    return null;
  }
}

/** The view of a JSON text; null if the text is damaged. */
function readView(text: string, version: number, isIntact: boolean): DashboardView | null {
  try {
    return currentView(JSON.parse(text), version);
  } catch (error) {
    if (isIntact) throw error;
    return null;
  }
}

/** A stored view as one of the current version. Throws if the version is newer than this program. */
export function currentView(stored: unknown, version: number): DashboardView {
  let view = stored;
  for (let from = version; from < VIEW_VERSION; from += 1) {
    const upcast = UPCASTS[from];
    if (upcast === undefined) throw new Error(`Views of version ${from} cannot be read.`);
    view = upcast(view);
  }
  if (version > VIEW_VERSION) {
    throw new Error(`The stored day has a newer version (${version}). Update this Barometer.`);
  }
  return view as DashboardView;
}

/** A session with data, and the sessions with data around it. */
export interface SessionAround {
  readonly session: string;
  /** Its newest row set (epoch ms): the closing one unless it is missing. */
  readonly createdAt: number;
  readonly previous: string | null;
  readonly next: string | null;
  /** The first session of the tables, and the newest of the calendar. */
  readonly first: string;
  readonly newest: string;
}

/** The midnight in New York after a day, ISO. */
function startAfter(day: string): string {
  return new Date(startOfMarketDay(formatDay(parseDay(day) + 1))).toISOString();
}

/** The newest closed session with data up to a day; null if the tables begin later. `now` is epoch ms. */
export async function readSessionAround(
  transaction: Transaction,
  day: string,
  now: number,
): Promise<SessionAround | null> {
  const closed = newestClosedSession(now);
  const instantOf = async (condition: string, order: string, at: string) => {
    const [row] = await transaction.query<{ at: number }>(
      `select extract(epoch from created_at) * 1000 as at from public.market_metrics
       where created_at ${condition} $1::timestamptz order by created_at ${order} limit 1`,
      [at],
    );
    return row?.at ?? null;
  };
  const last = day < closed ? day : closed;
  const createdAt = await instantOf('<', 'desc', startAfter(last));
  if (createdAt === null) return null;
  const session = marketDay(createdAt);
  const before = await instantOf('<', 'desc', new Date(startOfMarketDay(session)).toISOString());
  const after = await instantOf('>=', 'asc', startAfter(session));
  const first = await instantOf('>', 'asc', '-infinity');
  const next = after === null ? null : marketDay(after);
  return {
    session,
    createdAt,
    previous: before === null ? null : marketDay(before),
    next: next === null || next > closed ? null : next,
    first: marketDay(first ?? createdAt),
    newest: closed,
  };
}

/** A text as a date, `YYYY-MM-DD`; null if it is none. */
export function toDate(text: string): string | null {
  return Number.isNaN(parseDay(text)) ? null : text;
}

/** True if a day's session has not closed at `now` (epoch ms), or the day has not begun. */
export function isFuture(date: string, now: number): boolean {
  return date > newestClosedSession(now) && (date > marketDay(now) || isSession(date));
}

/** The instant of the final run of a session (epoch ms). */
export function sessionEvening(session: string): number {
  return sessionClose(session) + LATE_FIGURES;
}
