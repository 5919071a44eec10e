import type { Transaction } from '#database/port.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { ORIGINS_TABLE } from '#schema/tables.ts';
import { isPast } from '../database-clock.ts';
import { DEMONSTRATIONS } from '../demonstration.ts';
import type { Problems } from '../problems.ts';
import { toIso } from './instants.ts';
import { PUBLISHED_TABLES } from './tables.ts';

/**
 * Removes rows that a wrong clock dated later than both `now` (epoch ms) and the clock of the database: each would
 * pass for the newest from its date on. A clock that is behind removes nothing.
 */
export async function removeFutureRows(
  transaction: Transaction,
  now: number,
  problems: Problems,
): Promise<void> {
  let removed = 0;
  for (const name of [...PUBLISHED_TABLES.map((table) => table.name), ORIGINS_TABLE]) {
    const rows = await transaction.query(
      `delete from public.${name} where source is not null and not ${isPast('$1')} returning id`,
      [toIso(now)],
    );
    removed += rows.length;
  }
  if (removed > 0) {
    problems.note('clock', `${removed} rows dated in the future were removed; a clock was wrong.`);
  }
}

/** Takes a demonstration's rows off the page once another source has rows to put there. */
export async function removeOtherDemonstrations(
  transaction: Transaction,
  source: MarketSource,
): Promise<void> {
  const others = DEMONSTRATIONS.filter((word) => word !== source);
  for (const { name } of PUBLISHED_TABLES) {
    await transaction.query(`delete from public.${name} where source = any($1::text[])`, [
      `{${others.join(',')}}`,
    ]);
  }
}
