import type { Report } from '#collector/history/source.ts';
import { newestPeriod } from '#collector/periods.ts';
import type { ProviderCalls } from '#collector/providers/provider.ts';
import type { RunReport } from '#collector/runs/runs.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { type Log, type LogFields, reasonOf } from '../log.ts';
import type { RunMetrics } from '../metrics/run-metrics.ts';
import type { PerformDue, RunFailed } from './run-process.ts';

export interface LoggedRunOptions {
  readonly perform: PerformDue;
  readonly source: MarketSource;
  readonly now: () => number;
  readonly log: Log;
  readonly metrics: RunMetrics;
  readonly signal: AbortSignal;
}

/**
 * Returns a function that performs a run, counts it and logs one line, unless nothing was due or the lease is held. It
 * throws RunFailed.
 */
export function withRunLog({ perform, source, now, log, metrics, signal }: LoggedRunOptions) {
  return async (onProgress?: Report): Promise<void> => {
    const startedAt = now();
    const period = new Date(newestPeriod(startedAt)).toISOString();
    const { job, calls, report, failed } = await perform({ signal, onProgress });
    if (failed?.failure === 'busy') throw failed;
    if (failed === null && report === null) return;
    const ms = now() - startedAt;
    const fields = { job, period, source, ms, ...callFields(calls) };
    metrics.count({ job, outcome: outcomeOf(failed), ms, calls, report });
    if (report !== null) log.info('job done', { ...fields, ...reportFields(report) });
    if (failed === null) return;
    if (failed.failure === 'stopped') log.info('job stopped', fields);
    else log.error('job failed', { ...fields, reason: reasonOf(failed) });
    throw failed;
  };
}

function outcomeOf(failed: RunFailed | null) {
  if (failed === null) return 'succeeded';
  return failed.failure === 'stopped' ? 'stopped' : 'failed';
}

/** Returns for example `alpaca: 2 timeout, 1 server error; cboe: 3 refused`; undefined without failures. */
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
