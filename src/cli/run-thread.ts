import { Worker } from 'node:worker_threads';
import type { AskedInVain } from '#collector/live/run.ts';
import type { Source } from '#collector/sources/source.ts';
import type { Database } from '#database/port.ts';
import { sentError } from '#database/remote/errors.ts';
import { serveDatabase } from '#database/remote/serve.ts';
import type { FlagValues } from './command.ts';
import type { PerformRun, RunWatch } from './run-job.ts';
import { receivedRunError, type StopRun, type ThreadTask, type ThreadWord } from './run-thread-messages.ts';

/** Where runs collect from, as a thread can be told: it makes the source itself. */
export interface ChosenSource extends Pick<Source, 'word'> {
  /** What chooses it, with the environment. */
  readonly flags: FlagValues;
  /** What its runs have asked in vain so far. */
  inVain: AskedInVain;
}

/**
 * What a run may take of objects (MB): three times what the first fill of 500 companies takes. Bars are not among
 * them, for columns of numbers are not counted.
 */
const MOST_MEMORY_MB = 512;

/** What is told to end and does not, because it computes, is ended after so long (ms). */
const STOP_PATIENCE = 1_000;

interface ThreadOptions {
  readonly database: Database;
  /** The built `collect-worker`. */
  readonly workerUrl: URL;
  /** Who runs it, for whoever is refused meanwhile: 'serve'. */
  readonly by: string;
  readonly mostMemoryMb?: number;
}

/**
 * Does each task in a thread of its own, which ends with it. Where the thread dies, or is ended because it does not
 * end when it is told to, the run fails with a plain reason and leaves what a killed one leaves.
 */
export function performInThread({
  database,
  workerUrl,
  by,
  mostMemoryMb = MOST_MEMORY_MB,
}: ThreadOptions): PerformRun<ChosenSource> {
  return async (task, source, watch) => {
    watch.signal.throwIfAborted();
    const { remote, close } = serveDatabase(database);
    const workerData: ThreadTask = { task, flags: source.flags, inVain: source.inVain, by, remote };
    const worker = new Worker(workerUrl, {
      workerData,
      transferList: [remote.port],
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    });
    try {
      const last = await lastWord(worker, watch, mostMemoryMb);
      source.inVain = last.inVain;
      if (last.kind === 'failed') throw receivedRunError(last.error);
      return last.report;
    } finally {
      close();
      await worker.terminate();
    }
  };
}

type LastWord = Extract<ThreadWord, { inVain: unknown }>;

/** Passes on what a thread says up to its last word. Throws where there is none. */
async function lastWord(worker: Worker, watch: RunWatch, mostMemoryMb: number): Promise<LastWord> {
  const { signal } = watch;
  let patience: NodeJS.Timeout | undefined;
  const stop = () => {
    const word: StopRun = { reason: sentError(signal.reason) };
    worker.postMessage(word);
    patience = setTimeout(() => worker.terminate(), STOP_PATIENCE);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      worker.on('message', (word: ThreadWord) => {
        if (word.kind === 'progress') watch.report?.(word.progress);
        else if (word.kind === 'job') watch.onJob(word.job);
        else if (word.kind === 'calls') watch.onCalls(word.calls);
        else resolve(word);
      });
      worker.on('error', (error) => reject(deathOf(error, mostMemoryMb)));
      worker.on('exit', () =>
        reject(signal.aborted ? signal.reason : new Error('The run broke off: its thread ended.')),
      );
    });
  } finally {
    clearTimeout(patience);
    signal.removeEventListener('abort', stop);
  }
}

function deathOf(error: NodeJS.ErrnoException, mostMemoryMb: number): Error {
  const why =
    error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      ? `it took more than the ${mostMemoryMb} MB of memory that it may take`
      : error.message;
  return new Error(`The run broke off: ${why}.`, { cause: error });
}
