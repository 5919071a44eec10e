import type { ProviderCalls } from '#collector/providers/http-client.ts';
import type { Job, RunReport } from '#collector/runs.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { LeaseHeld } from '#server/jobs/lease.ts';
import { type Log, type LogFields, reasonOf } from '#server/log.ts';
import type { RunMetrics } from '#server/metrics/run-metrics.ts';
import type { RunWatch } from './run-job.ts';

interface Recorder {
  readonly now: () => number;
  readonly log: Log;
  readonly metrics: RunMetrics;
  /** Set when the process is to end. */
  readonly signal: AbortSignal;
}

/**
 * Does a run with one line of the log about it, and counts it; a null report is a run there was no need of. `work` is
 * given ways to say that it does another job than it was asked for, and what was asked of providers.
 */
export async function recordedRun(
  { now, log, metrics, signal }: Recorder,
  { job, period, source }: { job: Job; period: number | null; source: MarketSource },
  work: (tell: Pick<RunWatch, 'onJob' | 'onCalls'>) => Promise<RunReport | null>,
): Promise<RunReport | null> {
  const startedAt = now();
  let doing = job;
  let calls: readonly ProviderCalls[] = [];
  const finish = () => {
    const ms = now() - startedAt;
    const due = period === null ? undefined : new Date(period).toISOString();
    return { ms, fields: { job: doing, period: due, source, ms, ...callFields(calls) } };
  };
  try {
    const report = await work({
      onJob: (other) => {
        doing = other;
      },
      onCalls: (asked) => {
        calls = asked;
      },
    });
    if (report === null) return report;
    const { ms, fields } = finish();
    log.info('job done', { ...fields, ...reportFields(report) });
    metrics.count({ job: doing, outcome: 'succeeded', ms, calls, report });
    return report;
  } catch (error) {
    if (error instanceof LeaseHeld) throw error;
    const { ms, fields } = finish();
    if (signal.aborted) log.info('job stopped', fields);
    else log.error('job failed', { ...fields, reason: reasonOf(error) });
    metrics.count({ job: doing, outcome: signal.aborted ? 'stopped' : 'failed', ms, calls, report: null });
    throw error;
  }
}

/** `alpaca: 2 timeout, 1 server error; cboe: 3 refused`; absent where nothing failed. */
function failuresOf(calls: readonly ProviderCalls[]): string | undefined {
  const named = calls.flatMap(({ provider, failures }) => {
    const kinds = Object.entries(failures).map(([kind, count]) => `${count} ${kind}`);
    return kinds.length === 0 ? [] : [`${provider}: ${kinds.join(', ')}`];
  });
  return named.length === 0 ? undefined : named.join('; ');
}

function callFields(calls: readonly ProviderCalls[]): LogFields {
  if (calls.length === 0) return {};
  return { requests: calls.reduce((sum, { requests }) => sum + requests, 0), failures: failuresOf(calls) };
}

function reportFields({ lastSession, rowsWritten, rowsRefused, notes, origins }: RunReport): LogFields {
  const missing = origins.flatMap(({ input, session }) => (session === null ? [input] : []));
  return {
    session: lastSession,
    rowsWritten,
    rowsRefused,
    corrections: notes.find(({ kind }) => kind === 'correction')?.count,
    missing: missing.length === 0 ? undefined : missing.join(', '),
  };
}
