import { Worker } from 'node:worker_threads';
import { DatabaseError } from '../port.ts';
import type { StatementResult } from '../statements.ts';
import { databaseClosed } from '../unavailable.ts';
import { unavailableFrom } from './failures.ts';
import type { WorkerError, WorkerMessage, WorkerReply, WorkerTask } from './messages.ts';

/** A running worker with the folder open. */
export interface Session {
  /** True once the worker has ended. The timeout of a statement also ends the worker. */
  readonly ended: boolean;
  /** Sends one request. Throws `DatabaseError`, or `DatabaseUnavailable` if the worker ends. */
  send(request: WorkerMessage, timeoutMs?: number): Promise<StatementResult>;
  /** Closes the database and waits for the end of the worker. */
  close(): Promise<void>;
}

/** Events of a session. */
export interface SessionEvents {
  /** A commit has notified a channel. Called before the request of that commit resolves. */
  notified(channel: string, payload: string): void;
  /** The worker has ended without a call of `close`. */
  lost(): void;
}

interface Waiting {
  resolve(result: StatementResult): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout | undefined;
}

const DISK_FULL = '53100';

const timeoutError = () =>
  new DatabaseError({ message: 'canceling statement due to statement timeout', code: '57014' });

/**
 * The buffer of a `copyIn`, to be moved to the worker instead of copied. A view into a larger buffer must be copied.
 */
function movable(request: WorkerMessage): ArrayBuffer[] {
  if (request.kind !== 'copyIn') return [];
  const { buffer, byteLength } = request.data;
  const ownsAll = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return ownsAll ? [buffer] : [];
}

function startWorker(workerUrl: URL, task: WorkerTask): Worker {
  const worker = new Worker(workerUrl, { workerData: task, execArgv: [], stdout: true, stderr: true });
  // The output of Postgres is not logged, because it quotes rows with addresses of subscribers.
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

/** Creates a database in an empty folder, in a worker that ends afterwards. Errors name the folder `target`. */
export async function createInWorker(workerUrl: URL, folder: string, target: string): Promise<void> {
  const worker = startWorker(workerUrl, { task: 'create', folder });
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  try {
    await firstReply(worker, target);
  } finally {
    await worker.terminate();
    await ended;
  }
}

/** Resolves when the worker is ready. Throws `DatabaseUnavailable` if the worker fails or ends first. */
function firstReply(worker: Worker, folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('message', (reply: WorkerReply) => {
      if (reply.kind === 'failed' || reply.kind === 'lost') reject(unavailableFrom(reply.error, folder));
      else resolve();
    });
    worker.once('error', (error) => reject(unavailableFrom(error, folder)));
    worker.once('exit', () => reject(unavailableFrom(new Error('its worker ended'), folder)));
  });
}

/** Opens the database folder in a new worker thread. Throws `DatabaseUnavailable`. */
export async function openSession(workerUrl: URL, folder: string, events: SessionEvents): Promise<Session> {
  const worker = startWorker(workerUrl, { task: 'serve', folder });
  const waiting: Waiting[] = [];
  let ended = false;
  let isClosing = false;

  const end = (error: Error): void => {
    const isUnexpected = !ended && !isClosing;
    ended = true;
    if (isUnexpected) events.lost();
    for (const { reject, timer } of waiting.splice(0)) {
      clearTimeout(timer);
      reject(error);
    }
  };
  const stop = (error: Error): void => {
    end(error);
    void worker.terminate();
  };
  const fail = ({ reject }: Waiting, { code, ...fields }: WorkerError): void => {
    const error =
      code === null || code === DISK_FULL
        ? unavailableFrom({ ...fields, code }, folder)
        : new DatabaseError({ ...fields, code });
    reject(error);
    if (code === null) stop(error);
  };
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const settle = (reply: WorkerReply): void => {
    if (reply.kind === 'notified') {
      events.notified(reply.channel, reply.payload);
      return;
    }
    if (reply.kind === 'lost') stop(unavailableFrom(reply.error, folder));
    const first = waiting.shift();
    if (!first) return;
    clearTimeout(first.timer);
    if (reply.kind === 'result') first.resolve(reply.result);
    if (reply.kind === 'error') fail(first, reply.error);
  };

  try {
    await firstReply(worker, folder);
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  worker.on('message', settle);
  worker.on('error', (error) => end(unavailableFrom(error, folder)));
  worker.on('exit', () => end(unavailableFrom(new Error('its worker ended'), folder)));

  const send: Session['send'] = (request, timeoutMs) => {
    if (ended) return Promise.reject(databaseClosed());
    return new Promise((resolve, reject) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop(timeoutError()), timeoutMs);
      waiting.push({ resolve, reject, timer });
      worker.postMessage(request, movable(request));
    });
  };

  return {
    get ended() {
      return ended;
    },
    send,
    close: async () => {
      isClosing = true;
      if (!ended) await send({ kind: 'close' }).catch(() => undefined);
      await worker.terminate();
      await exited;
    },
  };
}
