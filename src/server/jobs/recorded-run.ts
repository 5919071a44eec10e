import type { ProviderCalls } from '#collector/providers/http-client.ts';
import type { Job, RunReport } from '#collector/runs.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { type Log, type LogFields, reasonOf } from '../log.ts';
import type { RunMetrics } from '../metrics/run-metrics.ts';
import { type RunWatch, runFailed } from './run-process.ts';

interface Recorder {
  readonly now: () => number;
  readonly log: Log;
  readonly metrics: RunMetrics;
  /** Set when the process is to end. */
  readonly signal: AbortSignal;
}

/**
 * Does a scheduled run, writes one line of the log about it and counts it. Neither if nothing was due, or if another
 * process is running it. Throws RunFailed.
 */
export async function recordedRun(
  { now, log, metrics, signal }: Recorder,
  { period, source }: { period: number; source: MarketSource },
  work: (watch: Pick<RunWatch, 'onJob' | 'onCalls'>) => Promise<RunReport | null>,
): Promise<RunReport | null> {
  const startedAt = now();
  let doing: Job = 'collect';
  let calls: readonly ProviderCalls[] = [];
  const finish = () => {
    const ms = now() - startedAt;
    const due = new Date(period).toISOString();
    return { ms, fields: { job: doing, period: due, source, ms, ...callFields(calls) } };
  };
  try {
    const report = await work({
      onJob: (job) => {
        doing = job;
      },
      onCalls: (requests) => {
        calls = requests;
      },
    });
    if (report === null) return report;
    const { ms, fields } = finish();
    log.info('job done', { ...fields, ...reportFields(report) });
    metrics.count({ job: doing, outcome: 'succeeded', ms, calls, report });
    return report;
  } catch (error) {
    const failed = runFailed(error, signal);
    if (failed.failure === 'held') throw failed;
    const { ms, fields } = finish();
    const isStopped = failed.failure === 'stopped';
    if (isStopped) log.info('job stopped', fields);
    else log.error('job failed', { ...fields, reason: reasonOf(failed) });
    metrics.count({ job: doing, outcome: isStopped ? 'stopped' : 'failed', ms, calls, report: null });
    throw failed;
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
