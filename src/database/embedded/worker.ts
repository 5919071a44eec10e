// PGlite blocks the thread that calls it. In a worker thread, a long write does not stall the server, and the memory for
// creating a database is freed when the worker ends.
import { parentPort, workerData } from 'node:worker_threads';
import { createGarbageCollector } from './collect-garbage.ts';
import { createRunner, openEngine, trimLog } from './engine.ts';
import type { WorkerError, WorkerMessage, WorkerReply, WorkerTask } from './messages.ts';

const { task, folder } = workerData as WorkerTask;

const collectGarbage = createGarbageCollector();

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Error numbers of WASI for problems that an operator can solve. */
const FILE_SYSTEM_CODES: Readonly<Record<number, string>> = {
  2: 'EACCES',
  19: 'EDQUOT',
  51: 'ENOSPC',
  63: 'EPERM',
  69: 'EROFS',
};

/**
 * Returns the message for an error of PGlite's file system, which has only an error number; null if there is no number.
 */
function fileSystemError(errno: unknown): string | null {
  return typeof errno === 'number' ? `file system error ${FILE_SYSTEM_CODES[errno] ?? errno}` : null;
}

function describe(error: unknown): WorkerError {
  const fields = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const code = textOf(fields.code);
  const isSqlState = code !== null && /^[0-9A-Z]{5}$/.test(code);
  const canContinue = fields.severity === 'ERROR';
  return {
    message: textOf(fields.message) ?? fileSystemError(fields.errno) ?? textOf(error) ?? 'unknown error',
    code: isSqlState && canContinue ? code : null,
    detail: textOf(fields.detail),
    hint: textOf(fields.hint),
  };
}

function post(reply: WorkerReply): void {
  const moved =
    reply.kind === 'result' && reply.result instanceof Uint8Array ? [reply.result.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(reply, moved);
}

async function start(): Promise<void> {
  const pglite = await openEngine(folder, (message) =>
    post({ kind: 'lost', error: { message, code: null, detail: null, hint: null } }),
  );
  if (task === 'create') {
    await pglite.close();
    post({ kind: 'ready' });
    return;
  }
  pglite.onNotification((channel, payload) => post({ kind: 'notified', channel, payload }));
  const run = createRunner(pglite);
  const respond = async (request: WorkerMessage): Promise<void> => {
    try {
      post({ kind: 'result', result: await run(request) });
      if (request.kind === 'script') {
        if (request.sql === 'commit') await trimLog(pglite, folder);
        if (request.sql === 'commit' || request.sql === 'rollback') collectGarbage();
      }
      if (request.kind === 'close') parentPort?.close();
    } catch (error) {
      post({ kind: 'error', error: describe(error) });
    }
  };
  let last = Promise.resolve();
  parentPort?.on('message', (request: WorkerMessage) => {
    last = last.then(() => respond(request));
  });
  post({ kind: 'ready' });
}

start().catch((error: unknown) => post({ kind: 'failed', error: describe(error) }));
