import type { Transaction } from '#database/port.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { ORIGINS_TABLE } from '#schema/tables.ts';
import { DEMONSTRATIONS } from '../demonstration.ts';
import type { Problems } from '../problems.ts';
import { toIso } from './instants.ts';
import { PUBLISHED_TABLES } from './tables.ts';

/**
 * Removes what a wrong clock once dated after `now` (epoch ms): it would pass for the newest until its time
 * comes.
 */
export async function removeFutureRows(
  transaction: Transaction,
  now: number,
  problems: Problems,
): Promise<void> {
  let removed = 0;
  for (const name of [...PUBLISHED_TABLES.map((table) => table.name), ORIGINS_TABLE]) {
    const rows = await transaction.query(
      `delete from public.${name} where source is not null and created_at > $1 returning id`,
      [toIso(now)],
    );
    removed += rows.length;
  }
  if (removed > 0) {
    problems.note('clock', `${removed} rows dated after ${toIso(now)} were removed; a clock was wrong.`);
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
