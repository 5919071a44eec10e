import { type ChildProcess, fork } from 'node:child_process';
import type { Progress, Report } from '#collector/progress.ts';
import type { ProviderCalls } from '#collector/providers/http-client.ts';
import type { Job, RunReport } from '#collector/runs.ts';
import type { Database } from '#database/port.ts';
import { isTransient } from '#database/unavailable.ts';
import { reasonOf } from '../log.ts';
import { giveBackLease, LeaseHeld } from './lease.ts';
import { LEASE } from './run-job.ts';

/** Observer of a run, which can also stop it. */
export interface RunWatch {
  readonly signal: AbortSignal;
  readonly report?: Report | undefined;
  /** Called before the run begins. */
  onJob(job: Job): void;
  /** Called with the requests to providers so far. */
  onCalls(calls: readonly ProviderCalls[]): void;
}

/** Runs what is due; returns null if nothing was. Throws RunFailed, or the reason of the signal. */
export type PerformDue = (watch: RunWatch) => Promise<RunReport | null>;

/** Why a run failed: another process holds the lease, the database is away, it was told to stop, or its own fault. */
type Failure = 'held' | 'away' | 'stopped' | 'fault';

/** A message from the process of a run to the server that started it; `done` and `failed` are the last. */
export type RunMessage =
  | { readonly kind: 'holder'; readonly holder: string }
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'calls'; readonly calls: readonly ProviderCalls[] }
  | { readonly kind: 'done'; readonly report: RunReport | null }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly reason: string };

/** A run failed; the message is one plain sentence. */
export class RunFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'RunFailed';
    this.failure = failure;
  }
}

/** The failure that an error of a run stands for. `signal` is the one that stops the run. */
export function runFailed(error: unknown, signal: AbortSignal): RunFailed {
  if (error instanceof RunFailed) return error;
  const kind = () => {
    if (error instanceof LeaseHeld) return 'held';
    if (signal.aborted) return 'stopped';
    return isTransient(error) ? 'away' : 'fault';
  };
  return new RunFailed(kind(), reasonOf(error), { cause: error });
}

/** Old-space limit of the process (MB), without typed arrays. Enough for a backfill of 500 companies. */
const MOST_MEMORY_MB = 512;

/** Secrets that a run does not need. */
const HELD_BACK = /^(SMTP_URL|METRICS_TOKEN)$/i;

const environmentOfRun = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !HELD_BACK.test(name)));

/** A run that does not stop when told to, because it computes, is killed after this long (ms). */
const STOPPED_IN = 1_000;

interface ProcessOptions {
  /** Releases the lease of a killed run here. Without it, the lease ends when the database is opened. */
  readonly database?: Database;
  /** The built program and its parameters: `barometer.js collect --due`. */
  readonly program: string;
  readonly parameters: readonly string[];
  readonly mostMemoryMb?: number;
  readonly stoppedInMs?: number;
}

/**
 * Runs a command in a process of its own, which ends with it: a run takes seconds of computing, in which the server could
 * not respond, and memory that only the end of a process gives back. If the process dies, the run fails with a plain
 * reason and its lease is released.
 */
export function performInProcess({
  database,
  program,
  parameters,
  mostMemoryMb = MOST_MEMORY_MB,
  stoppedInMs = STOPPED_IN,
}: ProcessOptions): PerformDue {
  return async (watch) => {
    watch.signal.throwIfAborted();
    const child = fork(program, parameters, {
      env: environmentOfRun(),
      execArgv: [`--max-old-space-size=${mostMemoryMb}`],
      // All its output goes through the channel; one that runs out of memory would print pages.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve()).once('error', () => resolve());
    });
    let holder: string | null = null;
    child.on('message', (message: RunMessage) => {
      if (message.kind === 'holder') holder = message.holder;
    });
    try {
      const report = await lastMessage(child, watch, { mostMemoryMb, stoppedInMs });
      holder = null;
      return report;
    } finally {
      child.kill('SIGKILL');
      await ended;
      if (holder !== null && database !== undefined) {
        // If this fails, the lease expires.
        await giveBackLease(database, { name: LEASE, holder }).catch(() => undefined);
      }
    }
  };
}

/** Passes on the messages up to the last one. Throws RunFailed, or the signal's reason. */
async function lastMessage(
  child: ChildProcess,
  { signal, report, onJob, onCalls }: RunWatch,
  { mostMemoryMb, stoppedInMs }: { mostMemoryMb: number; stoppedInMs: number },
): Promise<RunReport | null> {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    child.kill('SIGTERM');
    timer = setTimeout(() => child.kill('SIGKILL'), stoppedInMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      child.on('message', (message: RunMessage) => {
        if (message.kind === 'job') onJob(message.job);
        else if (message.kind === 'progress') report?.(message.progress);
        else if (message.kind === 'calls') onCalls(message.calls);
        else if (message.kind === 'done') resolve(message.report);
        else if (message.kind === 'failed') {
          reject(signal.aborted ? signal.reason : new RunFailed(message.failure, message.reason));
        }
      });
      child.on('error', reject);
      child.on('exit', (code, by) =>
        reject(signal.aborted ? signal.reason : deathOf(code, by, mostMemoryMb)),
      );
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** V8 ends a process with this signal when it is out of memory. */
const OUT_OF_MEMORY = 'SIGABRT';

function deathOf(code: number | null, by: NodeJS.Signals | null, mostMemoryMb: number): RunFailed {
  const why =
    by === OUT_OF_MEMORY
      ? `its process took more than the ${mostMemoryMb} MB of memory that it may take`
      : `its process ended ${by === null ? `with code ${code}` : `by ${by}`}`;
  return new RunFailed('fault', `The run broke off: ${why}.`);
}
