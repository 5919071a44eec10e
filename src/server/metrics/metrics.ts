import { monitorEventLoopDelay } from 'node:perf_hooks';
import { IS_FUTURE } from '#collector/instants.ts';
import { latenessOf, readNewestRows } from '#collector/runs/freshness.ts';
import { type Database, READ_ONLY } from '#database/port.ts';
import { DELIVERY_STATUSES, readMailStatus, SUBSCRIBER_STATES } from '#mailer/mail-status.ts';
import { readAnchorStates } from '#record/ledger/stored-anchors.ts';
import type { HttpMetrics, RunMetrics, ServerCounts } from './counters.ts';
import { counter, exposition, type Family, gauge } from './exposition.ts';

interface MetricsOptions {
  readonly database: Database;
  readonly runs: RunMetrics;
  readonly counts: ServerCounts;
  readonly http: Pick<HttpMetrics, 'families'>;
  readonly version: string;
  readonly missedPeriods: () => number;
  readonly now: () => number;
  /** Number of sessions after which a session is published; 0 by default. */
  readonly publishDelay?: number | undefined;
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
    readDatabaseMetrics(database, now(), options.publishDelay)
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

/** Reads the age of the rows and the counts of the weekly mail at `now` (epoch ms), without personal data. */
async function readDatabaseMetrics(database: Database, now: number, delay?: number): Promise<Family[]> {
  const newest = await readNewestRows(database, now);
  const { inputs, succeeded, mail, anchors } = await database.transaction(async (transaction) => {
    const inputs = await transaction.query<{ input: string; provider: string | null; at: string | null }>(
      `select input, provider, observed_at as at from public.input_origins
         where created_at = (select max(created_at) from public.input_origins where not ${IS_FUTURE}) order by input`,
    );
    const [run] = await transaction.query<{ at: string | null }>(
      "select max(finished_at) as at from collector.runs where status = 'succeeded'",
    );
    const mail = await readMailStatus(transaction, now);
    return { inputs, succeeded: run?.at ?? null, mail, anchors: await readAnchorStates(transaction) };
  }, READ_ONLY);
  const secondsSince = (instant: number) => (now - instant) / 1000;
  const since = (at: string | null) => (at === null ? null : secondsSince(Date.parse(at)));
  const { subscribers, deliveries, isWithheld, lastIssuedAt } = mail;
  return [
    gauge(
      'barometer_session_age_seconds',
      'Seconds since the time of the newest rows.',
      newest && secondsSince(newest.at),
    ),
    gauge(
      'barometer_sessions_behind',
      'Closed sessions whose rows are overdue.',
      newest && latenessOf(newest, now, delay).sessionsBehind,
    ),
    gauge(
      'barometer_last_success_age_seconds',
      'Seconds since the last successful run of any process.',
      since(succeeded),
    ),
    gauge(
      'barometer_input_age_seconds',
      'Seconds since the time of the newest value of an input; absent if no provider has it.',
      inputs.map(({ input, provider, at }) => [{ input, provider: provider ?? '' }, since(at)]),
    ),
    gauge(
      'barometer_subscribers',
      'Subscribers by state.',
      SUBSCRIBER_STATES.map((state) => [{ state: state.replaceAll(' ', '_') }, subscribers[state]]),
    ),
    gauge(
      'barometer_signal_last_issued_timestamp_seconds',
      'Time at which the last weekly signal was issued; absent before the first.',
      lastIssuedAt && lastIssuedAt / 1000,
    ),
    gauge(
      'barometer_signal_withheld',
      '1 if the signal of the newest recorded week was withheld, else 0.',
      Number(isWithheld),
    ),
    gauge(
      'barometer_deliveries',
      'Deliveries of the newest issued signal by status.',
      DELIVERY_STATUSES.map((status) => [{ status }, deliveries[status]]),
    ),
    gauge(
      'barometer_anchor_age_seconds',
      'Seconds since a checkpoint of the ledger was last anchored, by kind; absent before the first.',
      anchors.map(({ kind, anchoredAt }) => [{ kind }, anchoredAt && secondsSince(anchoredAt)]),
    ),
  ];
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
