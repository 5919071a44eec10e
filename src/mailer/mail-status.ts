import { epochMs, type Transaction } from '#database/port.ts';
import { weekOf } from './week.ts';

export const SUBSCRIBER_STATES = [
  'active',
  'unconfirmed',
  'left',
  'address refused',
  'never confirmed',
  'bounced',
  'complained',
  'inactive',
] as const;

export const DELIVERY_STATUSES = ['pending', 'sending', 'sent', 'refused', 'expired', 'skipped'] as const;

/** Returns the number of rows for each status; 0 for a status without a row. */
function countsOf<Word extends string>(
  words: readonly Word[],
  rows: readonly { word: string; count: number }[],
): Record<Word, number> {
  const counts = new Map(rows.map(({ word, count }) => [word, count]));
  return Object.fromEntries(words.map((word) => [word, counts.get(word) ?? 0])) as Record<Word, number>;
}

/** Counts subscribers and deliveries, and reads when mails were due (epoch ms). Ignores issues of later weeks. */
export async function readMailStatus(transaction: Transaction, now: number) {
  const subscribers = await transaction.query<{ word: string; count: number }>(
    `select case when is_active then case when confirmed_at is null then 'unconfirmed' else 'active' end
       else coalesce(deactivated_because, 'inactive') end as word, count(*) as count
     from public.email_subscribers group by 1`,
  );
  const [week] = await transaction.query<{
    withheld: boolean | null;
    issued: number | null;
    id: number | null;
  }>(
    `select (select status = 'withheld' from mailer.issued_signals where week <= $1 order by week desc limit 1) as withheld,
       id, ${epochMs('decided_at')} as issued
     from (select 1) as one left join (
       select id, decided_at from mailer.issued_signals where status = 'issued' and week <= $1 order by week desc limit 1
     ) as newest on true`,
    [weekOf(now)],
  );
  const deliveries = await transaction.query<{ word: string; count: number }>(
    `select status as word, count(*) as count from mailer.deliveries
     where message_id = (select id from mailer.messages where issue_id = $1 and channel = 'mail') group by 1`,
    [week?.id ?? null],
  );
  const [due] = await transaction.query<{ since: number | null; finished: number | null }>(
    `select (select ${epochMs('min(due_at)')} from mailer.deliveries
        where channel = 'mail' and status in ('pending', 'sending') and due_at <= $1::timestamptz) as since,
       (select ${epochMs('max(finished_at)')} from mailer.deliveries
        left join mailer.messages as message on message.id = message_id
        where deliveries.channel = 'mail' and (issue_id is null or issue_id = $2)) as finished`,
    [new Date(now).toISOString(), week?.id ?? null],
  );
  return {
    subscribers: countsOf(SUBSCRIBER_STATES, subscribers),
    // True if the newest issue was withheld; null if there is no issue.
    isWithheld: week?.withheld ?? null,
    lastIssuedAt: week?.issued ?? null,
    // Number of deliveries of the newest issued signal, by status.
    deliveries: countsOf(DELIVERY_STATUSES, deliveries),
    // Time since which the oldest unfinished delivery is due; null if no such delivery is due.
    dueSince: due?.since ?? null,
    // Time at which the last delivery of the newest issued signal, the last alert or the last confirmation mail was
    // finished; null if none was.
    lastFinishedAt: due?.finished ?? null,
  };
}
export type MailStatus = Awaited<ReturnType<typeof readMailStatus>>;
