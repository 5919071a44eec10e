import type { Database } from '#database/port.ts';
import { exposition, type Family } from './exposition.ts';
import { readMailMetrics } from './mail-metrics.ts';
import { readMarketMetrics } from './market-metrics.ts';
import { createProcessMetrics } from './process-metrics.ts';
import type { RunMetrics } from './run-metrics.ts';

export interface MetricsOptions {
  readonly database: Database;
  readonly runs: RunMetrics;
  /** The gate of this server, where there is one. */
  readonly reads?: { families(): Family[] };
  /** The page it renders, where it serves one. */
  readonly page?: { families(): Family[] };
  readonly missedPeriods: () => number;
  readonly now: () => number;
}

/**
 * Everything /metrics tells, in Prometheus' text form. While the database is away, what the process knows; while it
 * hangs, all who ask wait for one look at it.
 */
export function createMetrics(options: MetricsOptions): () => Promise<string> {
  const { database, runs, reads, page, missedPeriods, now } = options;
  const processMetrics = createProcessMetrics();
  let looking: Promise<readonly Family[]> | null = null;
  const readStored = async () => {
    try {
      return [...(await readMarketMetrics(database, now())), ...(await readMailMetrics(database, now()))];
    } catch {
      return [];
    } finally {
      looking = null;
    }
  };
  return async () => {
    looking ??= readStored();
    const stored = await looking;
    const missed = {
      name: 'barometer_missed_periods',
      help: 'Periods of the schedule in a row that are not done.',
      type: 'gauge',
      samples: [{ labels: {}, value: missedPeriods() }],
    } as const;
    return exposition([
      ...runs.families(),
      ...(reads?.families() ?? []),
      ...(page?.families() ?? []),
      missed,
      ...stored,
      ...processMetrics(),
    ]);
  };
}
