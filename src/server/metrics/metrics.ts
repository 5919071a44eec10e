import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Database } from '#database/port.ts';
import { readDatabaseMetrics } from './database-metrics.ts';
import { exposition, type Family, gauge } from './exposition.ts';
import type { RunMetrics } from './run-metrics.ts';

export interface MetricsOptions {
  readonly database: Database;
  readonly runs: RunMetrics;
  /** The gate of this server, if it has one. */
  readonly reads?: { families(): Family[] };
  /** The page it renders, if it serves one. */
  readonly page?: { families(): Family[] };
  readonly missedPeriods: () => number;
  readonly now: () => number;
}

/**
 * All metrics in Prometheus' text form; only those of the process while the database is away. Concurrent requests share
 * one read of the database.
 */
export function createMetrics(options: MetricsOptions): () => Promise<string> {
  const { database, runs, reads, page, missedPeriods, now } = options;
  const processMetrics = createProcessMetrics();
  let reading: Promise<readonly Family[]> | null = null;
  const read = () =>
    readDatabaseMetrics(database, now())
      .catch(() => [])
      .finally(() => {
        reading = null;
      });
  return async () => {
    reading ??= read();
    const stored = await reading;
    return exposition([
      ...runs.families(),
      ...(reads?.families() ?? []),
      ...(page?.families() ?? []),
      gauge('barometer_missed_periods', 'Periods of the schedule in a row that are not done.', [
        [{}, missedPeriods()],
      ]),
      ...stored,
      ...processMetrics(),
    ]);
  };
}

const RESOLUTION_MS = 20;
const NS_PER_SECOND = 1e9;

/** Measures memory, and the event loop's lag since the last call. */
function createProcessMetrics(): () => Family[] {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  // The delay includes the resolution itself; before the first measurement it is NaN.
  const late = (ns: number) =>
    Math.max(0, (Number.isFinite(ns) ? ns : 0) / NS_PER_SECOND - RESOLUTION_MS / 1000);
  return () => {
    const { rss, heapUsed } = process.memoryUsage();
    const lag = gauge(
      'barometer_event_loop_lag_seconds',
      'How late the event loop was since the last scrape, by quantile.',
      [
        [{ quantile: '0.5' }, late(delay.percentile(50))],
        [{ quantile: '0.99' }, late(delay.percentile(99))],
        [{ quantile: '1' }, late(delay.max)],
      ],
    );
    delay.reset();
    return [
      gauge('process_resident_memory_bytes', 'Resident memory.', [[{}, rss]]),
      gauge('nodejs_heap_size_used_bytes', 'Heap in use.', [[{}, heapUsed]]),
      gauge('process_uptime_seconds', 'Seconds since the process began.', [[{}, process.uptime()]]),
      lag,
    ];
  };
}
