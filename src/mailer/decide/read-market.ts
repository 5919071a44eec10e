import type { Database } from '#database/port.ts';
import { readDashboard, readOrigins } from '#queries/read-dashboard.ts';
import { sendInto } from '#queries/read-statement.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { sourcesView } from '#views/sources-view.ts';
import type { MarketReading } from './decision.ts';

/** Time limit of a statement (ms). */
const TIMEOUT_MS = 15_000;

/**
 * Reads the input of the weekly signal at `now` (epoch ms): the rows of the page and their origins, in one snapshot and
 * with the rights of the page. Rejects with the database's error.
 */
export function readMarket(database: Database, now: number): Promise<MarketReading> {
  return database.transaction(
    async (transaction) => {
      const send = sendInto(transaction);
      const rows = await readDashboard(send, marketClockAt(now), { history: false });
      const sources = sourcesView(rows);
      const origins = sources === null ? [] : await readOrigins(send, sources.createdAt);
      return { rows, origins };
    },
    { role: 'anon', readOnly: true, snapshot: true, statementTimeoutMs: TIMEOUT_MS },
  );
}
