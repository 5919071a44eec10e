import type { Transaction } from '#database/port.ts';
import { lastSessions } from '#domain/calendar/last-sessions.ts';
import { newestClosedSession } from '#domain/calendar/sessions.ts';
import { contentHash } from './content-hash.ts';
import { inflatedDay } from './days.ts';

/** Sessions that `/quality` shows. */
const SESSIONS = 90;
/** Events that `/quality` lists. */
const MOST_EVENTS = 200;

/** A fault of the data, or its end. */
export interface QualityEvent {
  /** Epoch ms. */
  readonly at: number;
  readonly session: string | null;
  readonly kind: string;
  readonly input: string | null;
  readonly provider: string | null;
  readonly detail: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

/** The quality of the newest sessions. */
export interface Quality {
  /** Ascending. */
  readonly sessions: readonly string[];
  /** Newest first. */
  readonly events: readonly QualityEvent[];
  /** Records whose content does not have the hash that was stored with it: 'archive.days 12'. */
  readonly damaged: readonly string[];
}

/** Reads the events of the last 90 sessions, and checks the hashes of their records. `now` is epoch ms. */
export async function readQuality(transaction: Transaction, now: number): Promise<Quality> {
  const sessions = lastSessions(newestClosedSession(now), SESSIONS);
  const first = sessions[0] ?? null;
  const rows = await transaction.query<Omit<QualityEvent, 'at'> & { instant: number }>(
    `select extract(epoch from at) * 1000 as instant, session, kind, input, provider, detail, before, after
     from public.quality_events where at >= $1::date order by id desc limit ${MOST_EVENTS}`,
    [first],
  );
  const events = rows.map(({ instant, ...event }) => ({ at: instant, ...event }));
  return { sessions, events, damaged: await damagedRecords(transaction, first) };
}

/** The number of missing and late inputs of the last 90 sessions without their value since. `now` is epoch ms. */
export async function countOpenGaps(transaction: Transaction, now: number): Promise<number> {
  const [first = ''] = lastSessions(newestClosedSession(now), SESSIONS);
  const [row] = await transaction.query<{ gaps: number }>(
    `select count(*) as gaps from public.quality_events gap
     where kind in ('missing', 'late') and session >= $1::date and not exists (
       select from public.quality_events
       where event_key = concat_ws(' ', 'completed', gap.session, gap.input)
     )`,
    [first],
  );
  return row?.gaps ?? 0;
}

/** The records since a session, or all, whose content does not have the hash that was stored with it. */
export async function damagedRecords(transaction: Transaction, since: string | null): Promise<string[]> {
  const from = since ?? '-infinity';
  const publications = await transaction.query<{ id: number }>(
    `select id from archive.publications
     where session >= $1::date and sha256 <> sha256(convert_to(rows::text, 'UTF8')) order by id`,
    [from],
  );
  const days = await transaction.query<{ id: number; view: string; hash: string }>(
    `select id, encode(view, 'base64') as view, encode(sha256, 'hex') as hash from archive.days
     where session >= $1::date order by id`,
    [from],
  );
  const isDamaged = ({ view, hash }: { view: string; hash: string }) => {
    const text = inflatedDay(view);
    return text === null || contentHash(text) !== hash;
  };
  return [
    ...publications.map(({ id }) => `archive.publications ${id}`),
    ...days.filter(isDamaged).map(({ id }) => `archive.days ${id}`),
  ];
}
