// PGlite blocks the thread that calls it. In a worker thread, a long write does not stall the server, and the memory for
// creating a database is freed when the worker ends.
import { parentPort, workerData } from 'node:worker_threads';
import type { PGlite } from '@electric-sql/pglite';
import type { StatementResult } from '../statements.ts';
import { createGarbageCollector } from './collect-garbage.ts';
import { createEngine, type Engine, openEngine, trimLog } from './engine.ts';
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

/** The message for an error of PGlite's file system, which has a number only. */
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

const overBlob = (sql: string, standard: RegExp): string => sql.replace(standard, "$1 '/dev/blob'");

async function run(pglite: PGlite, engine: Engine, request: WorkerMessage): Promise<StatementResult> {
  if (request.kind === 'query') return engine.query(request);
  if (request.begin !== undefined) await engine.script(request.begin);
  switch (request.kind) {
    case 'script':
      return engine.script(request.sql);
    case 'copyIn': {
      const blob = new Blob([request.data as Uint8Array<ArrayBuffer>]);
      const copied = await pglite.query(overBlob(request.sql, /\b(from)\s+stdin\b/i), [], { blob });
      return copied.rowCount ?? 0;
    }
    case 'copyOut': {
      const { blob } = await pglite.query(overBlob(request.sql, /\b(to)\s+stdout\b/i));
      return blob ? new Uint8Array(await blob.arrayBuffer()) : new Uint8Array();
    }
    case 'close':
      await pglite.close();
      return null;
  }
}

function post(reply: WorkerReply): void {
  const moved =
    reply.kind === 'result' && reply.result instanceof Uint8Array ? [reply.result.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(reply, moved);
}

async function respond(pglite: PGlite, engine: Engine, request: WorkerMessage): Promise<void> {
  try {
    post({ kind: 'result', result: await run(pglite, engine, request) });
    if (request.kind === 'script') {
      if (request.sql === 'commit') await trimLog(pglite, folder);
      if (request.sql === 'commit' || request.sql === 'rollback') collectGarbage();
    }
    if (request.kind === 'close') parentPort?.close();
  } catch (error) {
    post({ kind: 'error', error: describe(error) });
  }
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
  const engine = createEngine(pglite);
  let last = Promise.resolve();
  parentPort?.on('message', (request: WorkerMessage) => {
    last = last.then(() => respond(pglite, engine, request));
  });
  post({ kind: 'ready' });
}

start().catch((error: unknown) => post({ kind: 'failed', error: describe(error) }));
