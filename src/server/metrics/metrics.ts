import type { Database } from '#database/port.ts';
import { exposition } from './exposition.ts';
import { readMarketMetrics } from './market-metrics.ts';
import { createProcessMetrics } from './process-metrics.ts';
import type { RunMetrics } from './run-metrics.ts';

export interface MetricsOptions {
  readonly database: Database;
  readonly runs: RunMetrics;
  readonly missedPeriods: () => number;
  readonly now: () => number;
}

/** Everything /metrics tells, in Prometheus' text form. While the database is away, what the process knows. */
export function createMetrics({ database, runs, missedPeriods, now }: MetricsOptions): () => Promise<string> {
  const processMetrics = createProcessMetrics();
  return async () => {
    const market = await readMarketMetrics(database, now()).catch(() => []);
    const missed = {
      name: 'barometer_missed_periods',
      help: 'Periods of the schedule in a row that are not done.',
      type: 'gauge',
      samples: [{ labels: {}, value: missedPeriods() }],
    } as const;
    return exposition([...runs.families(), missed, ...market, ...processMetrics()]);
  };
}
