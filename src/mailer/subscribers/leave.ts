import type { Database } from '#database/port.ts';
import { KEPT_CHANGE } from './kept-change.ts';

/** Result of unsubscribing. 'left before': no subscription of the address is active. 'unknown': no row has the reference. */
export type Leaving = 'left' | 'left before' | 'unknown';

/**
 * Ends the active subscription of the address that `reference` belongs to, also one that is newer than the reference:
 * a person who uses an old link wants no more mail. The change is on the disk when this resolves.
 */
export function unsubscribe(database: Database, reference: string): Promise<Leaving> {
  return database.transaction(async (transaction) => {
    const left = await transaction.query(
      `update public.email_subscribers
       set is_active = false, deactivated_at = now(), deactivated_because = 'left'
       where is_active and lower(btrim(email)) =
         (select lower(btrim(email)) from public.email_subscribers where reference = $1::uuid)
       returning id`,
      [reference],
    );
    if (left.length > 0) return 'left';
    const known = await transaction.query(
      'select id from public.email_subscribers where reference = $1::uuid',
      [reference],
    );
    return known.length > 0 ? 'left before' : 'unknown';
  }, KEPT_CHANGE);
}
