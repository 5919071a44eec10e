import type { Database } from '#database/port.ts';
import { KEPT_CHANGE } from './kept-change.ts';

/** What became of a wish to leave; `unknown` where there is no such subscription (any more). */
export type Leaving = 'left' | 'left before' | 'unknown';

/**
 * Ends the one subscription that `reference` names, which survives a power cut before this resolves. A later
 * subscription of the same address is another one, and stays.
 */
export function unsubscribe(database: Database, reference: string): Promise<Leaving> {
  return database.transaction(async (transaction) => {
    const left = await transaction.query(
      `update public.email_subscribers
       set is_active = false, deactivated_at = now(), deactivated_because = 'left'
       where reference = $1::uuid and is_active
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
