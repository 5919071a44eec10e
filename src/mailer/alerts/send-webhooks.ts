import type { Database } from '#database/port.ts';
import { nextTry } from '../deliver/record-outcome.ts';
import { epochMs } from '../epoch-ms.ts';
import type { VerdictChange } from '../render/render-verdict-change.ts';
import { ALERT_LIFETIME, CHANGE_FIELDS, SENDABLE } from './alert-mails.ts';
import type { PostResult, PostWebhook } from './post-webhook.ts';
import { digestOf, nameOfWebhook, type WebhookSettings } from './webhook.ts';
import { changeMessage, webhookRequest } from './webhook-message.ts';

export interface WebhookOptions {
  readonly database: Database;
  readonly settings: WebhookSettings;
  /** Name of the product in the messages. */
  readonly productName: string;
  readonly publicUrl: string;
  readonly post: PostWebhook;
  /** A unique name of this process. */
  readonly holder: string;
  readonly now: () => number;
  /** Ends the requests when it aborts. */
  readonly signal: AbortSignal;
}

/** Result of a run. The numbers count messages. */
export interface WebhookReport {
  readonly sent: number;
  /** Number of messages to be retried. */
  readonly later: number;
  /** Number of messages that will not be retried. */
  readonly expired: number;
  /** One sentence for each failed attempt, without a URL. */
  readonly problems: readonly string[];
}

type ClaimedRow = VerdictChange &
  Record<string, unknown> & {
    readonly deliveryId: number;
    readonly webhook: string;
    readonly attempts: number;
    readonly giveUpAt: number;
  };

/** Lifetime of a claim, by the database's clock. A request takes less time, so a claim needs no renewal. */
const CLAIM_LASTS = '60 seconds';

const ENQUEUE = `insert into mailer.webhook_deliveries (change_id, webhook, due_at, give_up_at)
  select change.id, webhook, $1::timestamptz, $1::timestamptz + interval '${ALERT_LIFETIME}'
  from archive.verdict_changes as change cross join json_array_elements_text($2::json) as webhook
  where ${SENDABLE} on conflict do nothing`;

const CLAIM = `
  with due as (
    select id from mailer.webhook_deliveries
    where status in ('pending', 'sending') and due_at <= $1::timestamptz
      and (status = 'pending' or claimed_until < clock_timestamp())
      and webhook in (select json_array_elements_text($2::json))
    order by due_at for update skip locked
  )
  update mailer.webhook_deliveries as delivery
  set status = 'sending', claimed_by = $3, claimed_until = clock_timestamp() + interval '${CLAIM_LASTS}'
  from due, archive.verdict_changes as change where delivery.id = due.id and change.id = delivery.change_id
  returning delivery.id as "deliveryId", delivery.webhook, delivery.attempts,
    ${epochMs('delivery.give_up_at')} as "giveUpAt", ${CHANGE_FIELDS}`;

/** Adds the deliveries of new changes, then claims the due deliveries of these webhooks. */
function claim(
  { database, now, holder }: WebhookOptions,
  webhooks: readonly string[],
): Promise<ClaimedRow[]> {
  const at = new Date(now()).toISOString();
  return database.transaction(async (transaction) => {
    const list = JSON.stringify(webhooks);
    await transaction.query(ENQUEUE, [at, list]);
    return transaction.query<ClaimedRow>(CLAIM, [at, list, holder]);
  });
}

const isAccepted = ({ status }: PostResult) => status !== null && status >= 200 && status < 300;

/**
 * Records the result of an attempt. Does nothing if the claim has expired and another process has claimed the delivery.
 */
async function record(
  { database, now, holder, signal }: WebhookOptions,
  { deliveryId, attempts, giveUpAt }: ClaimedRow,
  result: PostResult,
): Promise<'sent' | 'later' | 'expired'> {
  const at = now();
  const next = nextTry({ tries: attempts + 1, now: at, giveUpAt });
  const isStopped = signal.aborted && result.status === null;
  const status = isAccepted(result) ? 'sent' : isStopped || next !== null ? 'pending' : 'expired';
  const iso = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString());
  const due = status === 'pending' && !isStopped && next !== null ? next : null;
  await database.transaction(
    (transaction) =>
      transaction.query(
        `update mailer.webhook_deliveries set status = $3, attempts = attempts + $4::integer, http_status = $5,
           due_at = coalesce($6::timestamptz, due_at), give_up_at = coalesce($7::timestamptz, give_up_at),
           finished_at = $8::timestamptz, claimed_by = null, claimed_until = null
         where id = $1 and claimed_by = $2 and status = 'sending'`,
        [
          ...[deliveryId, holder, status, isStopped ? 0 : 1, result.status],
          ...[iso(due?.dueAt ?? null), iso(due?.giveUpAt ?? null), status === 'pending' ? null : iso(at)],
        ],
      ),
    { durable: true },
  );
  return status === 'pending' ? 'later' : status;
}

/**
 * Sends each new change of the verdict to each webhook, and retries failed messages for a day. All requests are sent at
 * the same time, so that no webhook delays another. If the process is killed, the next run sends its messages with the
 * same ids. Rejects with the database's error.
 */
export async function sendWebhooks(options: WebhookOptions): Promise<WebhookReport> {
  const { settings, post, now, signal } = options;
  const { webhooks, signingKey, allowsPrivate } = settings;
  const counts = { sent: 0, later: 0, expired: 0 };
  const problems: string[] = [];
  if (webhooks.length === 0) return { ...counts, problems };
  const placeOf = new Map(webhooks.map((webhook, place) => [digestOf(webhook), { webhook, place }]));
  const claimed = await claim(options, [...placeOf.keys()]);
  const deliver = async (row: ClaimedRow) => {
    const target = placeOf.get(row.webhook);
    if (target === undefined) return;
    const message = changeMessage(row, options);
    const request = webhookRequest(target.webhook, message, { signingKey, now: now() });
    const result = await post(request, { allowsPrivate, signal });
    const outcome = await record(options, row, result);
    counts[outcome] += 1;
    if (outcome === 'sent') return;
    const reason = result.failure ?? `it responded with status ${result.status}`;
    const consequence =
      outcome === 'later' ? 'a retry follows' : 'no retry follows, so test the webhook with "alerts test"';
    const name = nameOfWebhook(target.webhook, target.place);
    problems.push(`The change of ${row.session} was not sent to ${name}: ${reason}; ${consequence}.`);
  };
  const results = await Promise.allSettled(claimed.map(deliver));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  return { ...counts, problems };
}
