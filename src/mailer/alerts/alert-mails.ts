import type { Database } from '#database/port.ts';
import { epochMs } from '../epoch-ms.ts';
import type { MailFrame, RenderedMail } from '../render/mail-page.ts';
import { renderVerdictChange, type VerdictChange } from '../render/render-verdict-change.ts';

/** An older change is not sent, because the verdict may have changed again since. */
export const ALERT_LIFETIME = '24 hours';

/** SQL that selects the fields of a `VerdictChange`. */
export const CHANGE_FIELDS = `change.id, change.session, ${epochMs('change.at')} as at, change.from_verdict as "from",
  change.to_verdict as "to", change.score, change.source, change.formula_version as "formulaVersion"`;

/** SQL condition for the changes that may be sent at the time `$1`. */
export const SENDABLE = `change.from_verdict is not null
  and change.at > $1::timestamptz - interval '${ALERT_LIFETIME}' and change.at <= now() + interval '1 hour'`;

/** Time limit of the transaction (ms), which inserts one row per subscriber. */
const ENQUEUE_TIMEOUT_MS = 3_600_000;

/**
 * Renders the mail of each new change of the verdict, and adds a delivery for each active, confirmed subscriber who
 * opted in, in one transaction per change. `sendDue` sends the mails. If two processes do this at the same time, each
 * delivery is added once. Returns the number of added mails. `now` is epoch milliseconds.
 */
export async function enqueueAlertMails(database: Database, frame: MailFrame, now: number): Promise<number> {
  const at = new Date(now).toISOString();
  const changes = await database.transaction(
    (transaction) =>
      transaction.query<VerdictChange & Record<string, unknown>>(
        `select ${CHANGE_FIELDS} from archive.verdict_changes as change where ${SENDABLE}
           and not exists (select from mailer.alert_mails where change_id = change.id) order by id`,
        [at],
      ),
    { readOnly: true },
  );
  let count = 0;
  for (const change of changes) {
    const mail = renderVerdictChange(change, frame);
    count += await database.transaction(
      async (transaction) => {
        const added = await transaction.query(
          `insert into mailer.alert_mails (change_id, mail) values ($1, $2::jsonb)
           on conflict do nothing returning change_id`,
          [change.id, JSON.stringify(mail)],
        );
        if (added.length === 0) return 0;
        // Locks the subscribers. Otherwise another transaction could delete one, which would violate the foreign key.
        const deliveries = await transaction.query(
          `insert into mailer.deliveries (change_id, subscriber_id, due_at, give_up_at)
           select $1, id, $2::timestamptz, $2::timestamptz + interval '${ALERT_LIFETIME}'
           from public.email_subscribers where is_active and confirmed_at is not null and alerts
           order by id for key share returning id`,
          [change.id, at],
        );
        return deliveries.length;
      },
      { durable: true, statementTimeoutMs: ENQUEUE_TIMEOUT_MS },
    );
  }
  return count;
}

/** The mail of a change for all subscribers, before the parts that differ by subscriber are added. */
export interface AlertMail {
  /** The session of the change, `YYYY-MM-DD`. */
  readonly session: string;
  readonly mail: RenderedMail;
}

/** Reads the mail of a change. Rejects if the change has no mail. */
export async function readAlertMail(database: Database, changeId: number): Promise<AlertMail> {
  const [row] = await database.transaction(
    (transaction) =>
      transaction.query<AlertMail & Record<string, unknown>>(
        `select session, mail from mailer.alert_mails join archive.verdict_changes as change on change.id = change_id
         where change_id = $1`,
        [changeId],
      ),
    { readOnly: true },
  );
  if (row === undefined) throw new Error(`Change ${changeId} has no mail in mailer.alert_mails.`);
  return row;
}
