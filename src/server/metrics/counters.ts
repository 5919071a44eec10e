import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProviderCalls } from '#collector/providers/provider.ts';
import type { RunReport } from '#collector/runs/runs.ts';
import type { Channel } from '#mailer/deliver/deliveries.ts';
import type { SendReport } from '#mailer/deliver/send-due.ts';
import type { ProcessedReport } from '#mailer/reports/process-report.ts';
import type { Family, Labels, Sample } from './exposition.ts';

/** Creates a function that returns the same value for the same labels, and the values that it has created. */
function byLabels<Value>(create: (labels: Labels) => Value) {
  const values = new Map<string, Value>();
  const of = (labels: Labels): Value => {
    const key = JSON.stringify(labels);
    const value = values.get(key) ?? create(labels);
    values.set(key, value);
    return value;
  };
  return { of, all: () => [...values.values()] };
}

export function createCounter(name: string, help: string) {
  const { of, all } = byLabels((labels) => ({ labels, value: 0 }));
  return {
    add(labels: Labels, by: number): void {
      of(labels).value += by;
    },
    family: (): Family => ({ name, help, type: 'counter', samples: all() }),
  };
}

/** Creates a histogram that counts by labels. `bounds` are ascending upper bounds. */
function createHistogram(name: string, help: string, bounds: readonly number[]) {
  // The last bucket has all values.
  const limits = [...bounds, Number.POSITIVE_INFINITY];
  const { of, all } = byLabels((labels) => ({ labels, sum: 0, buckets: limits.map(() => 0) }));
  return {
    observe(labels: Labels, value: number): void {
      const own = of(labels);
      own.sum += value;
      own.buckets = own.buckets.map((count, at) => count + (value <= (limits[at] ?? 0) ? 1 : 0));
    },
    family(): Family {
      const samples = all().flatMap(({ labels, sum, buckets }): Sample[] => [
        ...buckets.map((value, at) => ({
          suffix: '_bucket',
          labels: { ...labels, le: `${bounds[at] ?? '+Inf'}` },
          value,
        })),
        { suffix: '_sum', labels, value: sum },
        { suffix: '_count', labels, value: buckets.at(-1) ?? 0 },
      ]);
      return { name, help, type: 'histogram', samples };
    },
  };
}

/** The classes of addresses by the first part of the path. All others are `other`, so that label values are bounded. */
const ROUTES = {
  page: ['', 'index.html'],
  table: ['rest'],
  document: ['record', 'on', 'quality', 'method', 'risk'],
  output: [
    ...'signal.json signals.csv fear-greed.csv feed.atom feed.json grades.atom grades.json'.split(' '),
    ...'badge.svg badge.json embed oembed openapi.json llms.txt mcp og.png record.png'.split(' '),
  ],
  file: [
    ...'assets favicon.ico icon.svg icon-192.png icon-512.png icon-maskable-512.png'.split(' '),
    ...'apple-touch-icon.png manifest.webmanifest service-worker.js record-walk.js robots.txt'.split(' '),
  ],
  ledger: ['ledger'],
  link: ['unsubscribe', 'confirm', 'alerts', 'mail'],
  operator: ['healthz', 'readyz', 'metrics'],
} as const;
const ROUTE_OF_FIRST: ReadonlyMap<string, string> = new Map(
  Object.entries(ROUTES).flatMap(([route, parts]) => parts.map((part) => [part, route] as const)),
);

const routeOf = (url: string) => ROUTE_OF_FIRST.get(/^.([^/?]*)/.exec(url)?.[1] ?? '') ?? 'other';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

/** Upper bounds (s). Most responses come from memory. */
const RESPONSE_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** Counts the responses of a server by method, class of address and status, and their durations. */
export function createHttpMetrics() {
  const requests = createCounter(
    'barometer_http_requests_total',
    'Responses by method, class of address and status.',
  );
  const durations = createHistogram(
    'barometer_http_request_duration_seconds',
    'Time from the arrival of a request to the end of its response, by class of address.',
    RESPONSE_SECONDS,
  );
  return {
    /** Counts a response that was sent. `seconds` is the time since its request was received. */
    count(
      { method: sent = '', url = '/' }: IncomingMessage,
      { statusCode }: ServerResponse,
      seconds: number,
    ) {
      const route = routeOf(url);
      const method = METHODS.has(sent) ? sent : 'other';
      durations.observe({ route }, seconds);
      requests.add({ method, route, status: String(statusCode) }, 1);
    },
    families: () => [requests.family(), durations.family()],
  };
}
export type HttpMetrics = ReturnType<typeof createHttpMetrics>;

interface CountedRun {
  readonly job: string;
  readonly outcome: 'succeeded' | 'failed' | 'stopped';
  readonly ms: number;
  readonly calls: readonly ProviderCalls[];
  /** The report of the run; null if the run failed. */
  readonly report: Pick<RunReport, 'rowsWritten' | 'rowsRefused'> | null;
}

/** Outcomes of a delivery attempt, which are the values of a label. */
const OUTCOMES = ['sent', 'refused', 'later', 'expired'] as const;

/** Upper bounds (s). A daily run takes some seconds, a first backfill takes minutes. */
const RUN_SECONDS = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600] as const;

/** Counts the runs of jobs with their requests and rows, and the deliveries and the reports about them. */
export function createRunMetrics() {
  const runs = createCounter('barometer_runs_total', 'Runs by job and outcome.');
  const durations = createHistogram('barometer_run_duration_seconds', 'Duration of runs.', RUN_SECONDS);
  const written = createCounter('barometer_rows_written_total', 'Rows published.');
  const refused = createCounter('barometer_rows_refused_total', 'Rows rejected by validation.');
  const requests = createCounter(
    'barometer_provider_requests_total',
    'Requests to providers, including retries.',
  );
  const failures = createCounter(
    'barometer_provider_failures_total',
    'Failed requests to providers by kind of failure.',
  );
  const reports = createCounter(
    'barometer_mail_reports_total',
    'Bounces, complaints and other reports about sent mails by kind and result.',
  );
  const deliveries = {
    mail: createCounter('barometer_mails_total', 'Delivery attempts of mails by outcome.'),
    webhook: createCounter('barometer_alerts_total', 'Calls of webhooks by outcome; "expired" is given up.'),
    anchor: createCounter(
      'barometer_anchors_total',
      'Attempts to anchor a checkpoint outside by outcome; "expired" is given up.',
    ),
  };
  const { mail, webhook, anchor } = deliveries;
  const all = [runs, durations, written, refused, requests, failures, mail, reports, webhook, anchor];
  return {
    countReport: ({ kind, result }: ProcessedReport) =>
      reports.add({ kind: kind.replaceAll(' ', '_'), result }, 1),
    countDeliveries(channel: Channel, counted: Pick<SendReport, (typeof OUTCOMES)[number]>) {
      for (const outcome of OUTCOMES) {
        if (counted[outcome] > 0) deliveries[channel].add({ outcome }, counted[outcome]);
      }
    },
    count({ job, outcome, ms, calls, report }: CountedRun) {
      runs.add({ job, outcome }, 1);
      durations.observe({ job }, ms / 1000);
      if (report !== null) {
        written.add({ job }, report.rowsWritten);
        refused.add({ job }, report.rowsRefused);
      }
      for (const call of calls) {
        requests.add({ provider: call.provider }, call.requests);
        for (const [kind, times] of Object.entries(call.failures)) {
          failures.add({ provider: call.provider, kind }, times);
        }
      }
    },
    families: (): Family[] => all.map(({ family }) => family()),
  };
}
export type RunMetrics = ReturnType<typeof createRunMetrics>;

/** Counts the reads of tables and the builds of the page. The parts of a server increment them. */
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
