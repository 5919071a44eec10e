import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { DatabaseUnavailable, fromPostgres, isTransient, unavailableError } from '../failures.ts';
import { type Database, DatabaseError } from '../port.ts';
import { CONNECTION_DEFAULTS, newPool, openPool, type PostgresOptions } from '../postgres.ts';
import { PASSWORD, readPassword } from './data.ts';
import { addressOf, type Launched, launch, stopServer } from './server.ts';
import type { FolderOptions } from './user.ts';

export interface EmbeddedOptions extends Partial<FolderOptions>, Omit<PostgresOptions, 'url'> {
  /** The folder of the database; it is created if it does not exist. */
  folder: string;
}

/** Time to wait for a Postgres that starts, recovers or stops (ms). */
const START_TIMEOUT_MS = 60_000;
const RETRY_MS = 10;
/** Pause before a start after another Postgres had the folder (ms). */
const LOCKED_MS = 500;
/** Pause between two attempts to restore the session (ms). */
const RESTORE_MS = 5_000;

/** Each process holds this advisory lock in shared mode while it uses the database. An arbitrary number. */
const IN_USE = 714_202_612;

/**
 * SQL expression for the time since which processes use the database: no process that used it earlier is left. For a
 * database of `DATABASE_URL`, which such sessions do not mark, the start of Postgres.
 */
export const USED_SINCE = `coalesce((
  select min(backend_start) from pg_stat_activity join pg_locks using (pid)
  where locktype = 'advisory' and objid = ${IN_USE} and mode = 'ShareLock' and granted
), pg_postmaster_start_time())`;

/** Connects to the running server. Returns null if there is none; 'busy' if it starts or stops. */
async function connect(folder: string): Promise<Client | 'busy' | null> {
  const address = addressOf(folder);
  if (address === null) return null;
  const client = new Client({ ...CONNECTION_DEFAULTS, ...address });
  // The queries throw the same error. Without a listener the event would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(
      'select pg_read_file($1, true) as password, pg_advisory_lock_shared($2)',
      [PASSWORD, IN_USE],
    );
    if (rows[0]?.password?.trim() === readPassword(folder)) return client;
    throw new DatabaseError({ message: 'another password', code: '28P01' });
  } catch (error) {
    void client.end().catch(() => undefined);
    const failure = fromPostgres(error);
    const { code } = error as { code?: string };
    if (failure instanceof DatabaseError && isTransient(failure)) return 'busy';
    // Over TCP, a port of an earlier start may belong to another program.
    if (address.password !== undefined || /^(ENOENT|ECONNREFUSED|ENOTDIR)$/.test(code ?? '')) return null;
    if (isTransient(failure)) return 'busy';
    // Our own Postgres has this user and database, and trusts the socket.
    if (!/^(28|3D|42)/.test(code ?? '')) throw unavailableError(failure, folder);
    throw new DatabaseUnavailable(
      'unusable',
      `Another Postgres listens in ${folder}. Stop it, or set BAROMETER_DATA_DIR to another folder.`,
    );
  }
}

/** Connects to the server of the folder, and starts it if there is none. */
async function enter(folder: string, mayCreate: boolean, options: FolderOptions): Promise<Client> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  let launched: Launched | null = null;
  for (;;) {
    const client = await connect(folder);
    if (client instanceof Client) return client;
    const failure = launched?.failure ?? null;
    if (failure !== null && failure !== 'locked') throw new Error(failure);
    if (performance.now() > deadline) {
      throw new DatabaseUnavailable(
        'unreachable',
        `The Postgres of ${folder} does not respond. Stop the processes that use the folder, or set another BAROMETER_DATA_DIR.`,
      );
    }
    if (failure === 'locked') {
      launched = null;
      await delay(LOCKED_MS);
    } else if (client === null && launched === null) launched = await launch(folder, mayCreate, options);
    await delay(RETRY_MS);
  }
}

/**
 * Opens the database of a folder: connects to its Postgres, or starts one. The last process that closes it stops
 * Postgres. If Postgres ends, starts it again; until it runs, transactions fail at once. Throws `DatabaseUnavailable`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Database> {
  const { migrationsFolder, max, elsewhere = null, report = () => undefined } = options;
  const folder = resolve(options.folder);
  const pool = newPool({}, max);
  let session: Client | null = null;
  let entering: Promise<Client> | null = null;
  let isClosing = false;

  const connectSession = async (mayCreate: boolean): Promise<void> => {
    entering = enter(folder, mayCreate, { elsewhere, report }).catch((error) => {
      throw unavailableError(error, folder);
    });
    const client = await entering;
    Object.assign(pool.options, addressOf(folder));
    session = client;
    client.once('end', () => {
      session = null;
      if (!isClosing) void restore();
    });
  };
  const restore = async (): Promise<void> => {
    report('The connection to Postgres was lost.');
    while (!isClosing) {
      try {
        await connectSession(false);
        return report('Postgres runs again.');
      } catch (error) {
        report((error as Error).message);
        await delay(RESTORE_MS, undefined, { ref: false });
      }
    }
  };
  const close = async (): Promise<void> => {
    isClosing = true;
    await entering?.catch(() => undefined);
    await pool.end();
    if (session === null) return;
    const client = session;
    try {
      await client.query('select pg_advisory_unlock_shared($1)', [IN_USE]);
      const { rows } = await client.query('select pg_try_advisory_lock($1) as last', [IN_USE]);
      if (rows[0]?.last) await stopServer(folder, client);
    } catch {
      // Postgres has ended already.
    }
    await client.end().catch(() => undefined);
  };
  const connectPool = async () => {
    // At once, so that requests do not wait for a Postgres that starts again.
    const sentence = 'Postgres has ended and is being started again. Try again soon.';
    if (session === null) throw new DatabaseUnavailable('unreachable', sentence);
    return pool.connect().catch((error) => {
      throw fromPostgres(error);
    });
  };
  await connectSession(true);
  return openPool({ connect: connectPool, close, migrationsFolder });
}
