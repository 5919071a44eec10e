import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { migrate } from '../migrate.ts';
import type { Database } from '../port.ts';
import { databaseClosed } from '../unavailable.ts';
import { CONNECTION_DEFAULTS, connectionTo } from './connection.ts';
import { fromPostgres, unreachable } from './failures.ts';
import { listen } from './listen.ts';
import { respondedWithin, runTransaction } from './transaction.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  /** Maximum number of connections. */
  max?: number;
  /** If a response is later than the statement timeout by more than this time (ms), the connection is closed. */
  graceMs?: number;
  /** Folder of migrations to apply first. */
  migrationsFolder?: string;
}

/** Default of `graceMs`: time for the network and a busy machine (ms). */
const GRACE = 3_000;

/**
 * Timeout of the first statement (ms), which shows that Postgres is running: a pooler accepts connections even while
 * Postgres is down.
 */
const FIRST_TIMEOUT = 5_000;

/** Opens a connection pool to Postgres 15 or newer. Throws `DatabaseUnavailable`. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, max = 10, graceMs = GRACE, migrationsFolder } = options;
  const pool = newPool(connectionTo(url), max);
  let closing: Promise<void> | undefined;
  const database = poolDatabase({
    connect: async () => {
      if (closing) throw databaseClosed();
      try {
        return await pool.connect();
      } catch (error) {
        throw unreachable(error, url);
      }
    },
    close: () => {
      closing ??= pool.end();
      return closing;
    },
    graceMs,
  });
  return opened(database, migrationsFolder);
}

interface PoolDatabase {
  /** Returns a connection for one transaction. */
  connect(): Promise<PoolClient>;
  close(): Promise<void>;
  graceMs?: number;
}

/** A database whose transactions use one connection each. */
export function poolDatabase({ connect, close, graceMs = GRACE }: PoolDatabase): Database {
  return {
    transaction: async (work, options = {}) => {
      const client = await connect();
      let broken = false;
      try {
        return await runTransaction(client, work, options, graceMs);
      } catch (error) {
        await respondedWithin(client, graceMs, client.query('rollback')).catch(() => {
          broken = true;
        });
        throw fromPostgres(error);
      } finally {
        client.release(broken);
      }
    },
    listen: (channel, wake) => listen(connect, channel, wake),
    close,
  };
}

/** Checks that a database responds, and applies the migrations. Closes it if that fails. */
export async function opened(database: Database, migrationsFolder: string | undefined): Promise<Database> {
  try {
    await database.transaction((transaction) => transaction.query('select 1'), {
      statementTimeoutMs: FIRST_TIMEOUT,
    });
    if (migrationsFolder) await migrate(database, migrationsFolder);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

export function newPool(config: PoolConfig, max: number): Pool {
  const pool = new Pool({ ...CONNECTION_DEFAULTS, ...config, max });
  // The pool replaces a lost connection, and its query throws. Without a listener, the event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
