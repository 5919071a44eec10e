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

/** Times are epoch ms. Issues of later weeks are ignored. */
export interface MailStatus {
  readonly subscribers: Readonly<Record<(typeof SUBSCRIBER_STATES)[number], number>>;
  /** True if the newest issue was withheld; null if there is no issue. */
  readonly isWithheld: boolean | null;
  readonly lastIssuedAt: number | null;
  /** Number of deliveries of the newest issued signal, by status. */
  readonly deliveries: Readonly<Record<(typeof DELIVERY_STATUSES)[number], number>>;
  /** Time since which the oldest unfinished delivery is due; null if no such delivery is due. */
  readonly dueSince: number | null;
  /** Time at which the last mail of the newest issued signal, or the last alert or confirmation mail was finished. */
  readonly lastFinishedAt: number | null;
}

const STATUS = `with newest as (
    select id, decided_at from mailer.issued_signals where status = 'issued' and week <= $2 order by week desc limit 1
  ), states as (
    select case when is_active then case when confirmed_at is null then 'unconfirmed' else 'active' end
      else coalesce(deactivated_because, 'inactive') end as state, count(*) as count
    from public.email_subscribers group by 1
  ), statuses as (
    select status, count(*) as count from mailer.deliveries where message_id = (
      select id from mailer.messages where issue_id = (select id from newest) and channel = 'mail'
    ) group by 1
  )
  select (select json_object_agg(state, count) from states) as subscribers,
    (select status = 'withheld' from mailer.issued_signals where week <= $2 order by week desc limit 1) as "isWithheld",
    (select ${epochMs('decided_at')} from newest) as "lastIssuedAt",
    (select json_object_agg(status, count) from statuses) as deliveries,
    (select ${epochMs('min(due_at)')} from mailer.deliveries
     where channel = 'mail' and status in ('pending', 'sending') and due_at <= $1::timestamptz) as "dueSince",
    (select ${epochMs('max(finished_at)')} from mailer.deliveries
     left join mailer.messages as message on message.id = message_id
     where deliveries.channel = 'mail'
       and (issue_id is null or issue_id = (select id from newest))) as "lastFinishedAt"`;

const zeros = <Word extends string>(words: readonly Word[]) =>
  Object.fromEntries(words.map((word) => [word, 0])) as Record<Word, number>;

export async function readMailStatus(transaction: Transaction, now: number): Promise<MailStatus> {
  const [row] = await transaction.query<MailStatus>(STATUS, [new Date(now).toISOString(), weekOf(now)]);
  return {
    ...{ isWithheld: null, lastIssuedAt: null, dueSince: null, lastFinishedAt: null, ...row },
    subscribers: { ...zeros(SUBSCRIBER_STATES), ...row?.subscribers },
    deliveries: { ...zeros(DELIVERY_STATUSES), ...row?.deliveries },
  };
}
