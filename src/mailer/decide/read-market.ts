import { type Database, READ_ONLY } from '#database/port.ts';
import { readDashboard, readOrigins } from '#queries/read-dashboard.ts';
import { sendInto } from '#queries/read-statement.ts';
import { readNewestOutlook } from '#record/record-risk.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { currentOutlook } from '#views/risk-view.ts';
import { sourcesView } from '#views/sources-view.ts';
import type { MarketReading } from './decide-week.ts';

/** Time limit of a statement (ms). */
const TIMEOUT_MS = 15_000;

/** Reads the input of a signal in one snapshot, with the rights of the page. `now` (epoch ms) is its clock. */
export async function readMarket(database: Database, now: number): Promise<MarketReading> {
  const newest = await database.transaction(readNewestOutlook, READ_ONLY);
  const risk = currentOutlook(newest, now);
  return database.transaction(
    async (transaction) => {
      const send = sendInto(transaction);
      const rows = await readDashboard(send, marketClockAt(now), false);
      const sources = sourcesView(rows);
      const origins = sources === null ? [] : await readOrigins(send, sources.createdAt);
      return { rows, origins, risk };
    },
    { role: 'anon', readOnly: true, snapshot: true, statementTimeoutMs: TIMEOUT_MS },
  );
}
