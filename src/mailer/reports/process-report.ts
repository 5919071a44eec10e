import { createHash } from 'node:crypto';
import { type Database, DURABLE, type Transaction } from '#database/port.ts';
import { hasInvisible, normaliseEmail } from '#queries/subscribe.ts';
import { findReference, readToken } from '../subscribers/token.ts';
import {
  type Classified,
  classifyEvent,
  classifyReport,
  type ReportKind,
  type ServiceEvent,
} from './classify-report.ts';
import { parseReport, type ReportParts } from './parse-report.ts';

/** Bytes of a report that are read: one of our mails, with the notice of a mail server. */
export const LONGEST_REPORT = 256 * 1024;

/** `deactivated`: ended the subscription; `recorded`: only stored; `unverified`: no valid token, or no subscriber. */
type ReportResult = 'deactivated' | 'recorded' | 'repeated' | 'unverified';

export interface ProcessedReport {
  readonly kind: ReportKind;
  readonly result: ReportResult;
}

const UNSUBSCRIBE_LINK = /\/unsubscribe\/([\w-]{43})(?![\w-])/g;
/** Maximum number of links in one report that are verified. */
const MOST_LINKS = 10;

/** The signed reference of the subscriber in the return path, which reports reach, else in the unsubscribe link. */
function findSubscriber({ headers, text, status, feedback, returned }: ReportParts, key: Uint8Array) {
  const groups = [headers, ...(feedback === null ? [] : [feedback]), ...status];
  const words = [...groups.flatMap((group) => [...group.values()]), returned, text].join('\n');
  const reference = findReference(key, words);
  if (reference !== null) return reference;
  // The link is in the headers of the returned mail. Feedback loops remove addresses from these headers, but not the
  // link.
  for (const [, token = ''] of [...returned.matchAll(UNSUBSCRIBE_LINK)].slice(0, MOST_LINKS)) {
    const linked = readToken(key, 'unsubscribe', token);
    if (linked !== null) return linked;
  }
  return null;
}

const REASONS: Readonly<Partial<Record<ReportKind, 'bounced' | 'complained'>>> = {
  'hard bounce': 'bounced',
  complaint: 'complained',
};

interface Recorded extends Classified {
  readonly subscriber: { readonly id: number } | undefined;
  /** SHA-256 that identifies the report, in hexadecimal digits. */
  readonly digest: string;
  /** The current time (epoch ms). */
  readonly now: number;
}

/** Records a report. A hard bounce or complaint ends the subscription. One without subscriber needs a token. */
async function record(
  transaction: Transaction,
  { subscriber, kind, status, digest, now }: Recorded,
  hasToken = false,
): Promise<ReportResult> {
  if (subscriber === undefined && !hasToken) return 'unverified';
  const added = await transaction.query(
    `insert into mailer.reports (subscriber_id, kind, status, digest) values ($1, $2, $3, decode($4, 'hex'))
     on conflict (digest) do nothing returning id`,
    [subscriber?.id ?? null, kind, status, digest],
  );
  if (added.length === 0) return 'repeated';
  if (subscriber === undefined) return 'unverified';
  const reason = REASONS[kind];
  if (reason === undefined) return 'recorded';
  const ended = await transaction.query(
    `update public.email_subscribers
     set is_active = false, deactivated_at = $2::timestamptz, deactivated_because = $3
     where is_active and email = (select email from public.email_subscribers where id = $1) returning id`,
    [subscriber.id, new Date(now).toISOString(), reason],
  );
  return ended.length > 0 ? 'deactivated' : 'recorded';
}

/** Processes a raw report. A verified bounce or complaint deactivates the address; a forged one causes no query. */
export async function processReport(
  database: Database,
  raw: Uint8Array,
  { signingKey, now }: { signingKey: Uint8Array; now: number },
): Promise<ProcessedReport> {
  const parts = await parseReport(raw.subarray(0, LONGEST_REPORT));
  if (parts === null) return { kind: 'unknown', result: 'unverified' };
  const classified = classifyReport(parts);
  const reference = findSubscriber(parts, signingKey);
  if (reference === null) return { kind: classified.kind, result: 'unverified' };
  const digest = createHash('sha256').update(raw).digest('hex');
  const result = await database.transaction(async (transaction) => {
    const [subscriber] = await transaction.query<{ id: number }>(
      'select id from public.email_subscribers where reference = $1::uuid',
      [reference],
    );
    return record(transaction, { ...classified, subscriber, digest, now });
  }, DURABLE);
  return { kind: classified.kind, result };
}

/** Processes a service's events in one transaction, durable when the promise resolves. */
export function processEvents(
  database: Database,
  events: readonly ServiceEvent[],
  { service, hasToken, now }: { service: string; hasToken: boolean; now: number },
): Promise<ProcessedReport[]> {
  const digestOf = ({ id, email, kind }: ServiceEvent) =>
    createHash('sha256')
      .update(hasToken ? `${service} ${id}` : `${service} ${id} ${kind} ${email}`)
      .digest('hex');
  // All processes lock the subscribers in the order of their stored addresses, and the reports of one in that of the
  // digests.
  const ordered = events
    .map((event) => {
      const address = hasInvisible(event.email) ? null : normaliseEmail(event.email);
      const digest = digestOf(event);
      return { event, address, digest, key: `${address} ${digest}` };
    })
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  return database.transaction(async (transaction) => {
    const taken: ProcessedReport[] = [];
    for (const { event, address, digest } of ordered) {
      const classified = classifyEvent(event);
      const [subscriber] = await transaction.query<{ id: number }>(
        'select id from public.email_subscribers where email = $1 order by is_active desc, id desc limit 1',
        [address],
      );
      const report = { ...classified, subscriber, digest, now };
      taken.push({ kind: classified.kind, result: await record(transaction, report, hasToken) });
    }
    return taken;
  }, DURABLE);
}
