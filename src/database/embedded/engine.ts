import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite, parse, protocol } from '@electric-sql/pglite';
import type { Row } from '../port.ts';
import type { StatementResult } from '../statements.ts';
import { PARSED_TYPES, parserFor } from '../values.ts';
import type { WorkerMessage } from './messages.ts';
import { SyncedFileSystem } from './synced-file-system.ts';

/**
 * Number of bytes of code that a WebAssembly function runs before V8 optimizes it. With the default, a command takes
 * 1.5 times as long and twice the CPU time.
 */
const TIERING_BUDGET = 100_000_000;
// This flag applies to the whole process. Apart from the database, only the renderer of the share image uses
// WebAssembly, and the flag does not slow it down.
setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);

const SETTINGS = [
  'wal_sync_method=fsync', // PGlite has no fdatasync.
  'timezone=UTC',
  'shared_buffers=32MB',
  'min_wal_size=32MB',
];

/**
 * Maximum length of the write-ahead log, in segments of 16 MB. A longer log must be trimmed here, because PGlite has no
 * checkpointer process.
 */
const MOST_LOG_SEGMENTS = 8;

/**
 * Opens the database in the folder, or creates it if the folder is empty. After a PANIC of Postgres, the running
 * statement never returns: `onPanic` receives the message of the PANIC.
 */
export async function openEngine(folder: string, onPanic: (reason: string) => void): Promise<PGlite> {
  let lastMessage = '';
  const pglite = await PGlite.create({
    fs: new SyncedFileSystem(folder),
    onStderr: (line) => {
      const [, severity, message] = /\b(FATAL|PANIC): +(.*)/.exec(line) ?? [];
      lastMessage = message ?? lastMessage;
      if (severity === 'PANIC') onPanic(lastMessage);
      return true;
    },
    startParams: [
      // -F turns fsync off.
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      ...SETTINGS.flatMap((setting) => ['-c', setting]),
    ],
  }).catch((error: unknown) => {
    throw lastMessage ? new Error(lastMessage, { cause: error }) : error;
  });
  for (const oid of [...Object.keys(pglite.parsers), ...PARSED_TYPES]) {
    pglite.parsers[oid] = parserFor(Number(oid));
  }
  for (const oid of Object.keys(pglite.serializers)) pglite.serializers[oid] = String;
  return pglite;
}

/** Maximum number of kept query plans. Each takes about 35 KB. When a further plan is made, all others are removed. */
const MOST_PLANS = 100;

const { serialize } = protocol;

const overBlob = (sql: string, standard: RegExp): string => sql.replace(standard, "$1 '/dev/blob'");

/**
 * Returns a function that runs a request. It calls PGlite once per query or script, because PGlite's own methods need
 * up to six calls. A query with `keepsPlan` is planned once: planning takes most of the time of a short read. Throws
 * the errors of PGlite.
 */
export function createRunner(pglite: PGlite): (request: WorkerMessage) => Promise<StatementResult> {
  /** Names of the prepared statements by their SQL. */
  const plans = new Map<string, string>();
  let prepared = 0;

  /**
   * Returns the name of the prepared statement for the SQL, and the messages that create the statement if it is new.
   */
  function prepare(sql: string): { name: string; messages: Uint8Array[] } {
    const known = plans.get(sql);
    if (known !== undefined) return { name: known, messages: [] };
    prepared += 1;
    const name = `plan_${prepared}`;
    const messages = [serialize.parse({ name, text: sql })];
    if (prepared % MOST_PLANS === 0) {
      messages.unshift(serialize.query('deallocate all'));
      plans.clear();
    }
    return { name, messages };
  }

  async function execute(messages: readonly Uint8Array[]) {
    const { messages: replies } = await pglite.execProtocol(Buffer.concat(messages));
    return parse.parseResults(replies, pglite.parsers).at(-1);
  }

  return async (request) => {
    const begin = request.begin === undefined ? [] : [serialize.query(request.begin)];
    if (request.kind === 'query') {
      const { sql, parameters, keepsPlan } = request;
      const { name, messages } = keepsPlan
        ? prepare(sql)
        : { name: '', messages: [serialize.parse({ text: sql })] };
      const values = parameters.map((value) => (value === null ? null : String(value)));
      const result = await execute([
        ...begin,
        ...messages,
        serialize.bind({ statement: name, values }),
        serialize.describe({ type: 'P' }),
        serialize.execute({}),
        serialize.sync(),
      ]);
      // Stored only after a success: after an error, the prepared statement may not exist.
      if (keepsPlan) plans.set(sql, name);
      return (result?.rows ?? []) as Row[];
    }
    if (begin.length > 0) await execute(begin);
    switch (request.kind) {
      case 'script':
        return (await execute([serialize.query(request.sql)]))?.command ?? '';
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
  };
}

/** Writes a checkpoint if the write-ahead log is long. Call it between transactions only. */
export async function trimLog(pglite: PGlite, folder: string): Promise<void> {
  const segments = readdirSync(join(folder, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name));
  if (segments.length > MOST_LOG_SEGMENTS) await pglite.exec('checkpoint');
}
