import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { messages, PGlite, protocol } from '@electric-sql/pglite';
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

/**
 * Runs the statements that begin a transaction, and its first query, in one call of the engine instead of six: most of the
 * time of a short read goes into the calls. Returns rows as `query` does.
 */
export async function beginAndQuery(
  pglite: PGlite,
  begin: string,
  { sql, parameters }: { sql: string; parameters: readonly Parameter[] },
): Promise<Row[]> {
  const { serialize } = protocol;
  const values = parameters.map((value) => (value === null ? null : String(value)));
  const { messages: replies } = await pglite.execProtocol(
    Buffer.concat([
      serialize.query(begin),
      serialize.parse({ text: sql }),
      serialize.bind({ values }),
      serialize.describe({ type: 'P' }),
      serialize.execute({}),
      serialize.sync(),
    ]),
  );
  const columns = replies.find((reply) => reply instanceof messages.RowDescriptionMessage)?.fields ?? [];
  return replies
    .filter((reply) => reply instanceof messages.DataRowMessage)
    .map(({ fields }) =>
      Object.fromEntries(
        columns.map(({ name, dataTypeID }, at) => {
          const text = fields[at] ?? null;
          return [name, text === null ? null : parserFor(dataTypeID)(text)];
        }),
      ),
    );
}

/** Keeps the write-ahead log short. Only between transactions. */
export async function trimLog(pglite: PGlite, folder: string): Promise<void> {
  const segments = readdirSync(join(folder, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name));
  if (segments.length > MOST_LOG_SEGMENTS) await pglite.exec('checkpoint');
}
