import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { PGlite, parse, protocol } from '@electric-sql/pglite';
import type { Parameter, Row } from '../port.ts';
import { PARSED_TYPES, parserFor } from '../values.ts';
import { SyncedFileSystem } from './synced-file-system.ts';

/**
 * V8 optimizes a function of the engine once it has run this much (bytes of code). With the default, the start alone
 * optimizes so much that a command takes half as long again and twice the computing.
 */
const TIERING_BUDGET = 100_000_000;
// For the whole process, whose only other WebAssembly draws the picture, which takes no longer.
setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`);

const SETTINGS = [
  'wal_sync_method=fsync', // fdatasync is not there in WASM; -F (no sync at all) is left out for the same end
  'timezone=UTC',
  'shared_buffers=32MB',
  'min_wal_size=32MB',
];

/** Most segments of 16 MB. The engine has no checkpointer of its own. */
const MOST_LOG_SEGMENTS = 8;

/**
 * Opens the folder, and creates the database if the folder is empty. After a PANIC the engine's thread hangs, so
 * `onPanic` is called at once, from inside the call that hangs.
 */
export async function openEngine(folder: string, onPanic: (reason: string) => void): Promise<PGlite> {
  let lastWords = '';
  const pglite = await PGlite.create({
    fs: new SyncedFileSystem(folder),
    onStderr: (line) => {
      const [, severity, words] = /\b(FATAL|PANIC): +(.*)/.exec(line) ?? [];
      lastWords = words ?? lastWords;
      if (severity === 'PANIC') onPanic(lastWords);
      return true;
    },
    startParams: [
      ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
      ...SETTINGS.flatMap((setting) => ['-c', setting]),
    ],
  }).catch((error: unknown) => {
    throw lastWords ? new Error(lastWords, { cause: error }) : error;
  });
  for (const oid of [...Object.keys(pglite.parsers), ...PARSED_TYPES]) {
    pglite.parsers[oid] = parserFor(Number(oid));
  }
  for (const oid of Object.keys(pglite.serializers)) pglite.serializers[oid] = String;
  return pglite;
}

/** Most plans that are kept. Each takes some 35 KB. */
const MOST_PLANS = 100;

/** A query, and the statements to run before it. */
export interface EngineQuery {
  readonly begin?: string | undefined;
  readonly sql: string;
  readonly parameters: readonly Parameter[];
  readonly keepsPlan?: boolean | undefined;
}

/** Runs statements in one call of the engine, where PGlite's own methods take up to six. Errors are the engine's. */
export interface Engine {
  /** Plans a query that `keepsPlan` once: planning takes most of the time of a short read. */
  query(query: EngineQuery): Promise<Row[]>;
  /** Returns the last command. */
  script(sql: string): Promise<string>;
}

const { serialize } = protocol;

export function createEngine(pglite: PGlite): Engine {
  /** Names of the prepared statements by their SQL. */
  const plans = new Map<string, string>();
  let prepared = 0;

  /** The name of the prepared statement for the SQL, and the messages that make it. */
  function prepare(sql: string): { name: string; messages: Uint8Array[] } {
    const known = plans.get(sql);
    if (known !== undefined) return { name: known, messages: [] };
    const messages: Uint8Array[] = [];
    if (prepared === MOST_PLANS) {
      messages.push(serialize.query('deallocate all'));
      plans.clear();
      prepared = 0;
    }
    prepared += 1;
    const name = `plan_${prepared}`;
    messages.push(serialize.parse({ name, text: sql }));
    return { name, messages };
  }

  async function execute(messages: readonly Uint8Array[]) {
    const { messages: replies } = await pglite.execProtocol(Buffer.concat(messages));
    return parse.parseResults(replies, pglite.parsers).at(-1);
  }

  return {
    async query({ begin, sql, parameters, keepsPlan }) {
      const values = parameters.map((value) => (value === null ? null : String(value)));
      const { name, messages } = keepsPlan
        ? prepare(sql)
        : { name: '', messages: [serialize.parse({ text: sql })] };
      const result = await execute([
        ...(begin === undefined ? [] : [serialize.query(begin)]),
        ...messages,
        serialize.bind({ statement: name, values }),
        serialize.describe({ type: 'P' }),
        serialize.execute({}),
        serialize.sync(),
      ]);
      // Not before: an error may have prevented the plan.
      if (keepsPlan) plans.set(sql, name);
      return (result?.rows ?? []) as Row[];
    },
    script: async (sql) => (await execute([serialize.query(sql)]))?.command ?? '',
  };
}

/** Keeps the write-ahead log short. Only between transactions. */
export async function trimLog(pglite: PGlite, folder: string): Promise<void> {
  const segments = readdirSync(join(folder, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name));
  if (segments.length > MOST_LOG_SEGMENTS) await pglite.exec('checkpoint');
}
