import type { Source } from '#collector/sources/source.ts';
import type { Database } from '#database/port.ts';
import { type Collecting, createCollecting } from '#server/jobs/collecting.ts';
import { holderNamed, runDue } from '#server/jobs/run-job.ts';
import type { PerformDue } from '#server/jobs/run-process.ts';
import { createLog } from '#server/log.ts';
import { createRunMetrics, type RunMetrics } from '#server/metrics/run-metrics.ts';

/** A line of the log. */
export interface Line {
  level: string;
  event: string;
  [field: string]: unknown;
}

export interface ServingProcess {
  collecting: Collecting;
  metrics: RunMetrics;
  lines: Line[];
  /** The scheduled work of each minute. */
  tick(): Promise<unknown>;
  stop(reason: Error): void;
}

/** The collecting part of a serving process, with the test's clock. */
export function servingProcess(
  database: Database,
  source: Source,
  { now, isOwed = false, perform }: { now: () => number; isOwed?: boolean; perform?: PerformDue },
): ServingProcess {
  const lines: Line[] = [];
  const stopping = new AbortController();
  const metrics = createRunMetrics();
  const log = createLog({ write: (line) => lines.push(JSON.parse(line)), clock: now, format: 'json' });
  const performHere: PerformDue = async ({ signal, report, onJob, onCalls }) => {
    try {
      return await runDue({ database, source, now, holder: holderNamed('serve'), signal, report, onJob });
    } finally {
      onCalls(source.calls?.() ?? []);
    }
  };
  const collecting = createCollecting({
    database,
    perform: perform ?? performHere,
    source,
    isOwed,
    began: now(),
    now,
    log,
    metrics,
    signal: stopping.signal,
  });
  return {
    collecting,
    metrics,
    lines,
    tick: () => Promise.resolve(collecting.scheduledRuns[0].run(stopping.signal)),
    stop: (reason) => stopping.abort(reason),
  };
}
