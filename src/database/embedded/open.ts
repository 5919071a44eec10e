import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { Database } from '../port.ts';
import { CONNECTION_DEFAULTS } from '../postgres/connection.ts';
import { fromPostgres } from '../postgres/failures.ts';
import { newPool, opened, poolDatabase } from '../postgres/open.ts';
import { DatabaseUnavailable, databaseClosed, TRANSIENT_STATES } from '../unavailable.ts';
import { PASSWORD, readPassword } from './data.ts';
import { unavailableFrom } from './failures.ts';
import { addressOf, type Launched, type LaunchOptions, launch, stopServer } from './server.ts';

export interface EmbeddedOptions {
  /** The folder of the database; it is created if it does not exist. */
  folder: string;
  /** Folder of migrations to apply first. */
  migrationsFolder?: string;
  /** Maximum number of connections of this process. */
  max?: number;
  /** Place for the database of root if no other user can enter `folder`; null to refuse. */
  elsewhere?: string | null;
  /** Receives a sentence for the operator, such as that Postgres was started again. */
  report?: (sentence: string) => void;
}

/** Time to wait for a Postgres that starts, recovers or stops (ms). */
const PATIENCE_MS = 60_000;
const RETRY_MS = 10;
/** Pause before a start after another Postgres had the folder (ms). */
const LOCKED_MS = 500;
/** Longest pause between two attempts to restore the session (ms). */
const LONGEST_PAUSE_MS = 15_000;

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

const REFUSED = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'];

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
    if (rows[0]?.password?.trim() !== readPassword(folder)) throw otherPostgres(folder);
    return client;
  } catch (error) {
    void client.end().catch(() => undefined);
    const code = String((error as { code?: unknown }).code);
    // Over TCP, a port of an earlier start may belong to another program.
    if (REFUSED.includes(code) || address.password !== undefined)
      return TRANSIENT_STATES.test(code) ? 'busy' : null;
    const failure = fromPostgres(error);
    if (TRANSIENT_STATES.test(code) || (failure instanceof DatabaseUnavailable && failure.isTransient))
      return 'busy';
    // Our own Postgres has this user and database, and trusts the socket.
    if (/^(28|3D|42)/.test(code)) throw otherPostgres(folder);
    throw failure instanceof DatabaseUnavailable ? failure : unavailableFrom(error as Error, folder);
  }
}

/** Connects to the server of the folder, and starts it if there is none. Throws `DatabaseUnavailable`. */
async function enter(folder: string, options: LaunchOptions): Promise<Client> {
  const deadline = performance.now() + PATIENCE_MS;
  let launched: Launched | null = null;
  for (;;) {
    const client = await connect(folder);
    if (client instanceof Client) return client;
    const failure = launched?.failure() ?? null;
    if (failure !== null && failure !== 'locked') throw unavailableFrom({ message: failure }, folder);
    if (performance.now() > deadline) throw inUse(folder);
    if (failure === 'locked') {
      launched = null;
      await delay(LOCKED_MS);
    } else if (client === null && launched === null) launched = await launch(folder, options);
    await delay(RETRY_MS);
  }
}

function otherPostgres(folder: string): DatabaseUnavailable {
  return new DatabaseUnavailable(
    'misconfigured',
    `Another Postgres listens in ${folder}. Stop it, or set BAROMETER_DATA_DIR to another folder.`,
  );
}

function inUse(folder: string): DatabaseUnavailable {
  return new DatabaseUnavailable(
    'locked',
    `The Postgres of ${folder} does not respond. Stop the processes that use the folder, or set another BAROMETER_DATA_DIR.`,
    { isTransient: true },
  );
}

/** Thrown at once, so that requests do not wait for a Postgres that starts again. */
const down = () =>
  new DatabaseUnavailable('unreachable', 'Postgres has ended and is being started again. Try again soon.');

/**
 * Opens the database of a folder. Connects to the Postgres that runs there, or starts one, which makes the database if
 * there is none. The last process that closes the database stops Postgres. If Postgres ends, starts it again; until it
 * runs, transactions fail at once. Applies the migrations. Throws `DatabaseUnavailable`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Database> {
  const { migrationsFolder, max = 10, elsewhere = null, report = () => undefined } = options;
  const folder = resolve(options.folder);
  const pool = newPool({}, max);
  let session: Client | null = null;
  let entering: Promise<Client> | null = null;
  let closing: Promise<void> | undefined;

  const connectSession = async (mayCreate: boolean): Promise<void> => {
    entering = enter(folder, { elsewhere, report, mayCreate });
    const client = await entering;
    Object.assign(pool.options, addressOf(folder));
    session = client;
    client.once('end', () => {
      session = null;
      if (closing === undefined) void restore();
    });
  };
  const restore = async (): Promise<void> => {
    report('The connection to Postgres was lost.');
    for (let pause = RETRY_MS; closing === undefined; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        await connectSession(false);
        return report('Postgres runs again.');
      } catch (error) {
        report((error as Error).message);
        await delay(pause, undefined, { ref: false });
      }
    }
  };
  const leave = async (): Promise<void> => {
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

  const database = poolDatabase({
    connect: async () => {
      if (closing) throw databaseClosed();
      if (session === null) throw down();
      try {
        return await pool.connect();
      } catch (error) {
        throw fromPostgres(error);
      }
    },
    close: () => {
      closing ??= leave();
      return closing;
    },
  });
  await connectSession(true);
  return opened(database, migrationsFolder);
}
