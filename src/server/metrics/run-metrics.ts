import type { ProviderCalls } from '#collector/providers/http-client.ts';
import type { RunReport } from '#collector/runs.ts';
import type { SendReport } from '#mailer/deliver/send-due.ts';
import { createCounter, createHistogram } from './counters.ts';
import type { Family } from './exposition.ts';

/** A run of this process. */
export interface CountedRun {
  readonly job: string;
  readonly outcome: 'succeeded' | 'failed' | 'stopped';
  readonly ms: number;
  readonly calls: readonly ProviderCalls[];
  /** Null if it did not succeed. */
  readonly report: Pick<RunReport, 'rowsWritten' | 'rowsRefused'> | null;
}

/** Outcomes of a try to send a mail, as labels. */
const MAIL_OUTCOMES = ['sent', 'refused', 'later', 'expired'] as const;

export type CountedMails = Pick<SendReport, (typeof MAIL_OUTCOMES)[number]>;

export interface RunMetrics {
  count(run: CountedRun): void;
  countMails(mails: CountedMails): void;
  families(): Family[];
}

/** Histogram bounds in seconds: a daily run takes some, a first backfill minutes. */
const DURATIONS = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600] as const;

/** Counts the runs of this process, and the mails it sent, from its start. */
export function createRunMetrics(): RunMetrics {
  const runs = createCounter('barometer_runs_total', 'Runs by job and outcome.');
  const durations = createHistogram('barometer_run_duration_seconds', 'How long runs took.', DURATIONS);
  const written = createCounter('barometer_rows_written_total', 'Rows published.');
  const refused = createCounter(
    'barometer_rows_refused_total',
    'Rows that could not be right and were left out.',
  );
  const requests = createCounter(
    'barometer_provider_requests_total',
    'Requests, those tried again included.',
  );
  const failures = createCounter('barometer_provider_failures_total', 'Failed requests by kind.');
  const mails = createCounter('barometer_mails_total', 'Mails by how the try to send them ended.');
  return {
    countMails(counted) {
      for (const outcome of MAIL_OUTCOMES) {
        if (counted[outcome] > 0) mails.add({ outcome }, counted[outcome]);
      }
    },
    count({ job, outcome, ms, calls, report }) {
      runs.add({ job, outcome }, 1);
      durations.observe({ job }, ms / 1000);
      if (report !== null) {
        written.add({ job }, report.rowsWritten);
        refused.add({ job }, report.rowsRefused);
      }
      for (const { provider, requests: asked, failures: failed } of calls) {
        requests.add({ provider }, asked);
        for (const [kind, times] of Object.entries(failed)) failures.add({ provider, kind }, times);
      }
    },
    families: () =>
      [runs, durations, written, refused, requests, failures, mails].map(({ family }) => family()),
  };
}
