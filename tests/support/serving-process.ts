import type { Source } from '#collector/sources/source.ts';
import type { Database } from '#database/port.ts';
import { createLog } from '#server/log.ts';
import { createRunMetrics, type RunMetrics } from '#server/metrics/run-metrics.ts';
import { type Collecting, createCollecting } from '../../src/cli/collecting.ts';
import { holderNamed, performHere } from '../../src/cli/run-job.ts';

/** A line of the log. */
export interface Line {
  level: string;
  event: string;
  [field: string]: unknown;
}

export interface ServingProcess {
  collecting: Collecting<Source>;
  metrics: RunMetrics;
  lines: Line[];
  /** What the schedule does every minute. */
  tick(): Promise<unknown>;
  stop(reason: Error): void;
}

/** What a serving process has for collecting, by a clock of the test's. */
export function servingProcess(
  database: Database,
  source: Source,
  { now, isOwed = false }: { now: () => number; isOwed?: boolean },
): ServingProcess {
  const lines: Line[] = [];
  const stopping = new AbortController();
  const metrics = createRunMetrics();
  const log = createLog({ write: (line) => lines.push(JSON.parse(line)), clock: now, format: 'json' });
  const collecting = createCollecting({
    database,
    perform: performHere({ database, now, holder: holderNamed('serve') }),
    source,
    isOwed,
    began: now(),
    failedAt: null,
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
