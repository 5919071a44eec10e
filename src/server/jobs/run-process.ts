import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Progress, Report } from '#collector/progress.ts';
import type { ProviderCalls } from '#collector/providers/http-client.ts';
import type { Job, RunReport } from '#collector/runs.ts';
import { isTransient } from '#database/unavailable.ts';
import { reasonOf } from '../log.ts';
import { LeaseHeld } from './lease.ts';

/** The reason why a run failed: another process holds the lease, the database is unavailable, it was stopped, or an error. */
type Failure = 'busy' | 'unavailable' | 'stopped' | 'error';

/** A failed run. The message is one plain sentence. */
export class RunFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'RunFailed';
    this.failure = failure;
  }
}

/** The failure for an error of a run. `signal` is the one that stops the run. */
export function runFailed(error: unknown, signal: AbortSignal): RunFailed {
  const failure = () => {
    if (error instanceof LeaseHeld) return 'busy';
    if (signal.aborted) return 'stopped';
    return isTransient(error) ? 'unavailable' : 'error';
  };
  return new RunFailed(failure(), reasonOf(error), { cause: error });
}

/** Result of a run. Without a report and a failure, nothing was due. */
export interface RunResult {
  readonly job: Job;
  /** The requests to providers, also of a failed run. */
  readonly calls: readonly ProviderCalls[];
  readonly report: RunReport | null;
  readonly failed: RunFailed | null;
}

/** Runs the newest period if it is due. Does not reject. */
export type PerformDue = (options: {
  /** Stops the run. */
  readonly signal: AbortSignal;
  readonly onProgress?: Report | undefined;
}) => Promise<RunResult>;

/** A message from the process of a run to the server that started it; `done` and `failed` are the last. */
export type RunMessage =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'calls'; readonly calls: readonly ProviderCalls[] }
  | { readonly kind: 'done'; readonly report: RunReport | null }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly reason: string };

/** Secrets that a run does not need. */
const WITHHELD = /^(SMTP_URL|METRICS_TOKEN)$/i;

const environmentOfRun = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !WITHHELD.test(name)));

interface ProcessOptions {
  /** The built program and its parameters: `barometer.js collect --due`. */
  readonly program: string;
  readonly parameters: readonly string[];
  /** Old-space limit of the process, without typed arrays. 512 is enough for a backfill of 500 companies. */
  readonly maxMemoryMb?: number;
  /** A computing run does not notice the request to stop. It is killed after this time. */
  readonly stopWithinMs?: number;
}

/**
 * Runs a command in a child process: a run computes for seconds, during which the server could not respond, and its
 * memory is freed only at the end of a process. A child that ends without a result is a failed run.
 */
export function performInProcess({
  program,
  parameters,
  maxMemoryMb = 512,
  stopWithinMs = 1_000,
}: ProcessOptions): PerformDue {
  return async ({ signal, onProgress }) => {
    let result: RunResult = { job: 'collect', calls: [], report: null, failed: null };
    const failed = (failure: Failure, reason: string) => ({
      ...result,
      failed: signal.aborted ? runFailed(signal.reason, signal) : new RunFailed(failure, reason),
    });
    if (signal.aborted) return failed('stopped', '');
    const child = fork(program, parameters, {
      env: environmentOfRun(),
      execArgv: [`--max-old-space-size=${maxMemoryMb}`],
      // Results use the channel. A process that runs out of memory would print pages.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    let timer: NodeJS.Timeout | undefined;
    const stop = () => {
      child.kill('SIGTERM');
      timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
    };
    signal.addEventListener('abort', stop, { once: true });
    const ended = once(child, 'exit').catch(() => undefined);
    try {
      return await new Promise<RunResult>((resolve) => {
        child.on('message', (message: RunMessage) => {
          if (message.kind === 'job') result = { ...result, job: message.job };
          else if (message.kind === 'calls') result = { ...result, calls: message.calls };
          else if (message.kind === 'progress') onProgress?.(message.progress);
          else if (message.kind === 'done') resolve({ ...result, report: message.report });
          else resolve(failed(message.failure, message.reason));
        });
        child.once('error', (error) => resolve(failed('error', reasonOf(error))));
        child.once('exit', (code, by) => resolve(failed('error', reasonOfDeath(code, by, maxMemoryMb))));
      });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      child.kill('SIGKILL');
      await ended;
    }
  };
}

/** V8 ends a process with this signal when it is out of memory. */
const OUT_OF_MEMORY = 'SIGABRT';

function reasonOfDeath(code: number | null, by: NodeJS.Signals | null, maxMemoryMb: number): string {
  if (by === OUT_OF_MEMORY)
    return `The run needed more than the ${maxMemoryMb} MB of memory that it may use.`;
  return `The process of the run ended ${by === null ? `with code ${code}` : `by ${by}`}.`;
}
