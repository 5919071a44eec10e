import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Database } from '#database/port.ts';
import { readDatabaseMetrics } from './database-metrics.ts';
import { counter, exposition, type Family, gauge } from './exposition.ts';
import type { HttpMetrics } from './http-metrics.ts';
import type { RunMetrics } from './run-metrics.ts';

/** Creates the counters of a server. The parts of the server increment them. */
export function createServerCounts() {
  return {
    /** Table reads by the origin of the response. `refused` reads got the status 503. */
    reads: { release: 0, stale: 0, database: 0, refused: 0 },
    /** Attempts to build the page, by their result. */
    pages: { made: 0, failed: 0 },
    /** Duration of the last successful build (s); null before the first. */
    pageSeconds: null as number | null,
  };
}

export type ServerCounts = ReturnType<typeof createServerCounts>;

interface MetricsOptions {
  readonly database: Database;
  readonly runs: RunMetrics;
  readonly counts: ServerCounts;
  readonly http: Pick<HttpMetrics, 'families'>;
  readonly version: string;
  readonly missedPeriods: () => number;
  readonly now: () => number;
  /** Number of sessions after which a session is published; 0 by default. */
  readonly delay?: number | undefined;
}

/** Returns a function that writes all metrics; without those of the database while it is unavailable. */
export function createMetrics(options: MetricsOptions): () => Promise<string> {
  const { database, runs, counts, http, version, missedPeriods, now } = options;
  const build = gauge('barometer_build_info', 'Always 1; the versions are labels.', [
    [{ version, node: process.version }, 1],
  ]);
  const processMetrics = createProcessMetrics();
  let reading: Promise<readonly Family[]> | null = null;
  const read = () =>
    readDatabaseMetrics(database, now(), options.delay)
      .catch(() => [])
      .finally(() => {
        reading = null;
      });
  return async () => {
    reading ??= read();
    const stored = await reading;
    return exposition([
      build,
      ...http.families(),
      ...runs.families(),
      counter(
        'barometer_reads_total',
        'Table reads by source of the response; "refused" is a 503.',
        'by',
        counts.reads,
      ),
      counter('barometer_pages_total', 'Attempts to build the page by outcome.', 'outcome', counts.pages),
      gauge(
        'barometer_page_seconds',
        'Duration of the last build of the page, including its reads.',
        counts.pageSeconds,
      ),
      gauge(
        'barometer_missed_periods',
        'Number of newest scheduled periods in a row without a successful run.',
        missedPeriods(),
      ),
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
  // The measured delay includes the resolution of the timer itself. Before the first measurement it is NaN.
  const lag = (ns: number) =>
    Math.max(0, (Number.isFinite(ns) ? ns : 0) / NS_PER_SECOND - RESOLUTION_MS / 1000);
  return () => {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const lags = gauge(
      'barometer_event_loop_lag_seconds',
      'Event loop lag since the last scrape, by quantile.',
      [
        [{ quantile: '0.5' }, lag(delay.percentile(50))],
        [{ quantile: '0.99' }, lag(delay.percentile(99))],
        [{ quantile: '1' }, lag(delay.max)],
      ],
    );
    delay.reset();
    return [
      gauge('process_resident_memory_bytes', 'Resident memory.', rss),
      gauge('nodejs_heap_size_used_bytes', 'Heap in use.', heapUsed),
      gauge(
        'process_start_time_seconds',
        'Start of the process in seconds since 1970.',
        Math.round(performance.timeOrigin) / 1000,
      ),
      {
        ...gauge('process_cpu_seconds_total', 'CPU time of the process.', (user + system) / 1e6),
        type: 'counter',
      },
      lags,
    ];
  };
}
