import type { ProviderCalls } from '#collector/providers/provider.ts';
import type { RunReport } from '#collector/runs/runs.ts';
import type { Channel } from '#mailer/deliver/deliveries.ts';
import type { SendReport } from '#mailer/deliver/send-due.ts';
import type { ProcessedReport } from '#mailer/reports/process-report.ts';
import { createCounter, createHistogram, type Family } from './exposition.ts';

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

export type RunMetrics = ReturnType<typeof createRunMetrics>;

/** Upper bounds of the histogram (s). A daily run takes some seconds, a first backfill takes minutes. */
const DURATIONS = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600] as const;

export function createRunMetrics() {
  const runs = createCounter('barometer_runs_total', 'Runs by job and outcome.');
  const durations = createHistogram('barometer_run_duration_seconds', 'Duration of runs.', DURATIONS);
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
