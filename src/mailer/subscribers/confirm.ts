import type { Database } from '#database/port.ts';
import { KEPT_CHANGE } from './kept-change.ts';

/** What became of a confirmation; `unknown` where there is no such subscription, or it has ended. */
export type Confirming = 'confirmed' | 'confirmed before' | 'unknown';

/** Confirms the active subscription that `reference` names, which survives a power cut before this resolves. */
export function confirm(database: Database, reference: string): Promise<Confirming> {
  return database.transaction(async (transaction) => {
    const confirmed = await transaction.query<{ id: number }>(
      `update public.email_subscribers set confirmed_at = now()
       where reference = $1::uuid and is_active and confirmed_at is null
       returning id`,
      [reference],
    );
    const [subscriber] = confirmed;
    if (subscriber !== undefined) {
      // A question that is still to be asked again has its answer.
      await transaction.query(
        `update mailer.deliveries set status = 'skipped', finished_at = now()
         where subscriber_id = $1 and issue_id is null and status = 'pending'`,
        [subscriber.id],
      );
      return 'confirmed';
    }
    const known = await transaction.query(
      'select id from public.email_subscribers where reference = $1::uuid and is_active',
      [reference],
    );
    return known.length > 0 ? 'confirmed before' : 'unknown';
  }, KEPT_CHANGE);
}
