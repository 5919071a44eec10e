import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Progress, Report } from '#collector/history/source.ts';
import type { ProviderCalls } from '#collector/providers/provider.ts';
import type { Job, RunReport } from '#collector/runs/runs.ts';
import { isTransient } from '#database/failures.ts';
import { reasonOf } from '../log.ts';
import { LeaseHeld } from './lease.ts';

/** The reason of a failed run. It is `busy` while another process holds the lease. */
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

export function runFailed(error: unknown, signal: AbortSignal): RunFailed {
  const failure = () => {
    if (error instanceof LeaseHeld) return 'busy';
    if (signal.aborted) return 'stopped';
    return isTransient(error) ? 'unavailable' : 'error';
  };
  return new RunFailed(failure(), reasonOf(error), { cause: error });
}

/** Result of a run. If it has neither a report nor a failure, nothing was due. */
export interface RunResult {
  readonly job: Job;
  /** The requests to providers. A failed run has them too. */
  readonly calls: readonly ProviderCalls[];
  readonly report: RunReport | null;
  readonly failed: RunFailed | null;
}

/** Runs the newest period if it is due. The promise never rejects. */
export type PerformDue = (options: {
  readonly signal: AbortSignal;
  readonly onProgress?: Report | undefined;
}) => Promise<RunResult>;

/** A message from the process of a run to the server that started it. The last message is `done` or `failed`. */
export type RunMessage =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'calls'; readonly calls: readonly ProviderCalls[] }
  | { readonly kind: 'done'; readonly report: RunReport | null }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly reason: string };

/** Secret settings that the process of a run does not receive. With AUDIENCE=private it needs PAGE_PASSWORD. */
const WITHHELD = /^(SMTP_URL|METRICS_TOKEN|MAIL_BOUNCE_TOKEN|MAIL_WEBHOOKS|LEDGER_GIT|ALERT_[A-Z_]+)$/i;

const environmentOfRun = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !WITHHELD.test(name)));

interface ProcessOptions {
  /** The built program and its parameters: `barometer.js collect --due`. */
  readonly program: string;
  readonly parameters: readonly string[];
  /** Limit of the process's old-space heap, which does not include typed arrays. 512 is enough to backfill 500 companies. */
  readonly maxMemoryMb?: number;
  /** Time after which a run is killed (ms). While a run computes, it does not notice the request to stop. */
  readonly stopWithinMs?: number;
}

/** Performs runs in a child process, because a run computes for seconds. A child without a result has failed. */
export function performInChildProcess(options: ProcessOptions): PerformDue {
  const { program, parameters, maxMemoryMb = 512, stopWithinMs = 1_000 } = options;
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
      // Results use the IPC channel. Output is ignored, because a process that runs out of memory prints many lines.
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
    return `The run exceeded its memory limit of ${maxMemoryMb} MB. The next run continues.`;
  return `The process of the run ended ${by === null ? `with code ${code}` : `by ${by}`}.`;
}
