import type { Source } from '#collector/history/source.ts';
import type { Job } from '#collector/runs/runs.ts';
import type { Database } from '#database/port.ts';
import { createCollecting } from '#server/jobs/collecting.ts';
import { runDue } from '#server/jobs/run-job.ts';
import { type PerformDue, runFailed } from '#server/jobs/run-process.ts';
import { createLog } from '#server/log.ts';
import { createRunMetrics, type RunMetrics } from '#server/metrics/counters.ts';

/** A line of the log. */
export interface Line {
  level: string;
  event: string;
  [field: string]: unknown;
}

export interface ServingProcess {
  collecting: ReturnType<typeof createCollecting>;
  metrics: RunMetrics;
  lines: Line[];
  /** The scheduled check. */
  tick(): Promise<unknown>;
  stop(reason: Error): void;
}

/** The collector of a serving process, with the test's clock. */
export function servingProcess(
  database: Database,
  source: Source,
  { now, mustRun = false, perform }: { now: () => number; mustRun?: boolean; perform?: PerformDue },
): ServingProcess {
  const lines: Line[] = [];
  const stopping = new AbortController();
  const metrics = createRunMetrics();
  const log = createLog({ write: (line) => lines.push(JSON.parse(line)), clock: now, format: 'json' });
  const performHere: PerformDue = async ({ signal, onProgress: report }) => {
    let job: Job = 'collect';
    const onJob = (begun: Job) => {
      job = begun;
    };
    const result = await runDue({
      ...{ database, source, now, signal, report, onJob },
    }).then(
      (done) => ({ report: done, failed: null }),
      (error: unknown) => ({ report: null, failed: runFailed(error, signal) }),
    );
    return { job, calls: source.calls?.() ?? [], ...result };
  };
  const collecting = createCollecting({
    ...{ database, source: source.name, mustRun, began: now(), now, log, metrics },
    ...{ perform: perform ?? performHere, signal: stopping.signal },
  });
  return {
    collecting,
    metrics,
    lines,
    tick: () => collecting.scheduledRun.run(),
    stop: (reason) => stopping.abort(reason),
  };
}
