import type { Database } from '#database/port.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { isPast } from './database-clock.ts';
import { readHolding } from './history/stored.ts';
import { toIso } from './instants.ts';
import { BATCH_TABLE } from './publish/tables.ts';

/** The source of the rows shown at `now` (epoch ms); null if there are none, or none that the collector wrote. */
export function readShownSource(database: Database, now: number): Promise<MarketSource | null> {
  return database.transaction(
    async (transaction) => {
      const holding = await readHolding(transaction);
      if (holding === null) return null;
      const rows = await transaction.query(
        `select from public.${BATCH_TABLE} where source = $1 and ${isPast('$2')} limit 1`,
        [holding.source, toIso(now)],
      );
      return rows.length > 0 ? holding.source : null;
    },
    { readOnly: true },
  );
}
