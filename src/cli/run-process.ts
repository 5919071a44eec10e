import { type ChildProcess, fork } from 'node:child_process';
import type { KnownGaps } from '#collector/live/run.ts';
import type { Source } from '#collector/sources/source.ts';
import type { Database } from '#database/port.ts';
import { processChannel, type ServingChannel } from '#database/remote/channel.ts';
import { sentError } from '#database/remote/errors.ts';
import { serveDatabase } from '#database/remote/serve.ts';
import type { FlagValues } from './command.ts';
import { holderNamed, letGo, type PerformRun, type RunWatch } from './run-job.ts';
import { type RunCommand, type RunWord, receivedRunError } from './run-process-messages.ts';

/** Where runs collect from, as another process can be told: it makes the source itself. */
export interface ChosenSource extends Pick<Source, 'word'> {
  /** What chooses it, with the environment. */
  readonly flags: FlagValues;
  /** What its runs have asked in vain so far. */
  knownGaps: KnownGaps;
}

/** What a run may take of objects (MB); columns of numbers are not among them. A first fill of 500 companies has room. */
const MOST_MEMORY_MB = 512;

/** Of secrets a run needs those of its providers: it has the database through this process, and sends no mail. */
const KEPT_BACK = /^(DATABASE_URL|SMTP_URL|METRICS_TOKEN|PG[A-Z]+)$/i;

const environmentOfRun = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !KEPT_BACK.test(name)));

/** A run that is told to end and does not, because it computes, is ended after so long (ms). */
const STOP_PATIENCE = 1_000;

interface ProcessOptions {
  readonly database: Database;
  /** The built `collect-process`. */
  readonly program: string;
  /** Who runs it, for whoever is refused meanwhile: 'serve'. */
  readonly by: string;
  readonly mostMemoryMb?: number;
  readonly stopPatienceMs?: number;
}

/**
 * Does each task in a process of its own, which ends with it and has the database through this one. Where it dies, or
 * is ended because it does not end when it is told to, the run fails with a plain reason and leaves what a killed one
 * leaves, but for its lease: others need not wait until that runs out.
 */
export function performInProcess({
  database,
  program,
  by,
  mostMemoryMb = MOST_MEMORY_MB,
  stopPatienceMs = STOP_PATIENCE,
}: ProcessOptions): PerformRun<ChosenSource> {
  return async (task, source, watch) => {
    watch.signal.throwIfAborted();
    const child = fork(program, [], {
      serialization: 'advanced',
      env: environmentOfRun(),
      execArgv: [`--max-old-space-size=${mostMemoryMb}`],
      // All it has to say it says to this process; what dies of its memory would print pages.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve()).once('error', () => resolve());
    });
    const channel: ServingChannel = processChannel(child);
    const remote = serveDatabase(database, channel);
    const holder = holderNamed(by, child.pid);
    let isSaid = false;
    try {
      tell(child, { run: { task, flags: source.flags, knownGaps: source.knownGaps, holder, remote } });
      const last = await lastWord(child, watch, { mostMemoryMb, stopPatienceMs });
      isSaid = true;
      source.knownGaps = last.knownGaps;
      if (last.kind === 'failed') throw receivedRunError(last.error);
      return last.report;
    } finally {
      channel.close();
      child.kill('SIGKILL');
      await ended;
      // What cannot be given back runs out.
      if (!isSaid) await letGo({ database, holder }).catch(() => undefined);
    }
  };
}

function tell(child: ChildProcess, command: RunCommand): void {
  // What is told to a process that has just gone is lost with it, and its end is seen.
  child.send(command, () => undefined);
}

type LastWord = Extract<RunWord, { knownGaps: unknown }>;

/** Passes on what the process says up to its last word. Throws where there is none. */
async function lastWord(
  child: ChildProcess,
  watch: RunWatch,
  { mostMemoryMb, stopPatienceMs }: { mostMemoryMb: number; stopPatienceMs: number },
): Promise<LastWord> {
  const { signal } = watch;
  let patience: NodeJS.Timeout | undefined;
  const stop = () => {
    tell(child, { stop: sentError(signal.reason) });
    patience = setTimeout(() => child.kill('SIGKILL'), stopPatienceMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      child.on('message', (word: RunWord | { kind?: undefined }) => {
        if (word.kind === 'progress') watch.report?.(word.progress);
        else if (word.kind === 'job') watch.onJob(word.job);
        else if (word.kind === 'calls') watch.onCalls(word.calls);
        else if (word.kind !== undefined) resolve(word);
      });
      child.on('error', reject);
      child.on('exit', (code, by) =>
        reject(signal.aborted ? signal.reason : deathOf(code, by, mostMemoryMb)),
      );
    });
  } finally {
    clearTimeout(patience);
    signal.removeEventListener('abort', stop);
  }
}

/** V8 ends a process so whose objects have no room any more. */
const OUT_OF_MEMORY = 'SIGABRT';

function deathOf(code: number | null, by: NodeJS.Signals | null, mostMemoryMb: number): Error {
  const why =
    by === OUT_OF_MEMORY
      ? `its process took more than the ${mostMemoryMb} MB of memory that it may take`
      : `its process ended ${by === null ? `with code ${code}` : `by ${by}`}`;
  return new Error(`The run broke off: ${why}.`);
}
