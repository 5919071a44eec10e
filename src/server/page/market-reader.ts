import type { Database } from '#database/port.ts';
import type { MarketReading } from '#mailer/decide/decision.ts';
import { readDashboard } from '#queries/read-dashboard.ts';
import { readOrigins } from '#queries/read-origins.ts';
import { marketClockAt } from '#views/market-clock-at.ts';
import { sourcesView } from '#views/sources-view.ts';
import { failureFields, type Log } from '../log.ts';
import { createSnapshotReads } from './snapshot-reads.ts';

interface MarketReaderOptions {
  /** The database, with all migrations applied. */
  readonly database: Database;
  readonly log: Log;
}

/**
 * Returns a function that reads the input of the weekly signal at an instant (epoch ms): the rows of the page and their
 * origins, in one snapshot. While the database is unavailable, the function logs the reason and rejects with
 * QueryError.
 */
export async function createMarketReader({
  database,
  log,
}: MarketReaderOptions): Promise<(now: number) => Promise<MarketReading>> {
  const inSnapshot = createSnapshotReads(database);
  return async (now) => {
    try {
      return await inSnapshot(async (send) => {
        const rows = await readDashboard(send, marketClockAt(now), { history: false });
        const sources = sourcesView(rows);
        const origins = sources === null ? [] : await readOrigins(send, sources.createdAt);
        return { rows, origins };
      });
    } catch (error) {
      log.error('market read failed', failureFields(error instanceof Error ? error.cause : error));
      throw error;
    }
  };
}
