import { Pool, type PoolClient } from 'pg';
import { migrate } from '../migrate.ts';
import {
  type Database,
  failedTransaction,
  type Parameter,
  type Row,
  type Transaction,
  type TransactionOptions,
} from '../port.ts';
import { beginStatements } from '../statements.ts';
import { databaseClosed } from '../unavailable.ts';
import { type ConnectionConfig, connectionTo } from './connection.ts';
import { copyIn, copyOut } from './copy.ts';
import { fromPostgres, unreachable } from './failures.ts';
import { listenOn } from './listen.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  /** Connections at most. */
  max?: number;
  /** How long after its time a statement may still have no answer, before its connection is given up (ms). */
  silentMs?: number;
  /** Migrations to bring the database up to before it is handed out. */
  migrationsFolder?: string;
}

/** Always the extended protocol, which takes one statement; never named, so that any pooler will do. */
const extended = (text: string, parameters: readonly Parameter[]) => ({
  text,
  values: [...parameters],
  queryMode: 'extended' as const,
});

function transactionOn(client: PoolClient, inTime: Deadline) {
  let isOpen = true;
  const attempt = async <T>(run: () => Promise<T>): Promise<T> => {
    if (!isOpen) throw new Error('This transaction is over.');
    return inTime(run()).catch((error: unknown) => {
      throw fromPostgres(error);
    });
  };
  const transaction: Transaction = {
    query: <R extends Row>(sql: string, parameters: readonly Parameter[] = []) =>
      attempt(async () => (await client.query<Row>(extended(sql, parameters))).rows as R[]),
    script: (sql) =>
      attempt(async () => {
        await client.query(sql);
      }),
    copyIn: (sql, data) => attempt(() => copyIn(client, sql, data)),
    copyOut: (sql) => attempt(() => copyOut(client, sql)),
  };
  return {
    transaction,
    finish: () => {
      isOpen = false;
    },
  };
}

/** A transaction whose process is gone without a word, or frozen, ends after this long, and its locks with it. */
const IDLE = '60s';

/** Of a statement nobody gave a time to (ms): what takes longer by its nature is told to. */
const LONGEST_STATEMENT = 300_000;

const timeOf = ({ statementTimeoutMs = LONGEST_STATEMENT }: TransactionOptions): number =>
  Math.max(1, Math.ceil(statementTimeoutMs));

const begin = (options: TransactionOptions): string =>
  [
    beginStatements(options),
    `set local idle_in_transaction_session_timeout = '${IDLE}'`,
    `set local statement_timeout = ${timeOf(options)}`,
  ].join('; ');

/** By when the server ends a statement itself, and says so, if it is still there. */
type Deadline = <T>(asking: Promise<T>) => Promise<T>;

/**
 * Gives a connection up that keeps silent past the time of a statement. What is sent to a server that is gone without a
 * word is sent again and again for a quarter of an hour before its connection is found to be lost.
 */
function deadlineOf(client: PoolClient, ms: number): Deadline {
  return (asking) => {
    const timer = setTimeout(() => client.connection.stream.destroy(), ms);
    return asking.finally(() => clearTimeout(timer));
  };
}

async function runTransaction<T>(
  client: PoolClient,
  work: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions,
  silentMs: number,
): Promise<T> {
  const inTime = deadlineOf(client, timeOf(options) + silentMs);
  await inTime(client.query(begin(options)));
  const { transaction, finish } = transactionOn(client, inTime);
  const result = await work(transaction).finally(finish);
  const { command } = await inTime(client.query('commit'));
  if (command === 'ROLLBACK') throw failedTransaction();
  return result;
}

/** Beyond the time of a statement, for the way there and back and a busy machine (ms). */
const SILENT_AFTER = 10_000;

/** By when the first statement is answered (ms): a pooler takes connections also while Postgres is away, and lets them wait. */
const OPENED_IN = 5_000;

/** Opens a pool over any Postgres of version 15 or newer. Throws `DatabaseUnavailable`. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { url, max = 10, silentMs = SILENT_AFTER, migrationsFolder } = options;
  const config = connectionTo(url);
  const pool = newPool(config, max);
  const listening = new Set<() => Promise<void>>();
  let closing: Promise<void> | undefined;

  const connect = async (): Promise<PoolClient> => {
    if (closing) throw databaseClosed();
    try {
      return await pool.connect();
    } catch (error) {
      throw unreachable(error, url);
    }
  };

  const database: Database = {
    engine: 'postgres',
    transaction: async (work, options = {}) => {
      const client = await connect();
      let broken = false;
      try {
        return await runTransaction(client, work, options, silentMs);
      } catch (error) {
        await deadlineOf(
          client,
          silentMs,
        )(client.query('rollback')).catch(() => {
          broken = true;
        });
        throw fromPostgres(error);
      } finally {
        client.release(broken);
      }
    },
    listen: async (channel, listener) => {
      if (closing) throw databaseClosed();
      const end = await listenOn({ config, channel, listener });
      const stop = async () => {
        listening.delete(stop);
        await end();
      };
      listening.add(stop);
      if (closing) await stop();
      return stop;
    },
    close: () => {
      closing ??= Promise.all([pool.end(), ...[...listening].map((stop) => stop())]).then(() => undefined);
      return closing;
    },
  };

  try {
    await database.transaction((transaction) => transaction.query('select 1'), {
      statementTimeoutMs: OPENED_IN,
    });
    if (migrationsFolder) await migrate(database, migrationsFolder);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

function newPool(config: ConnectionConfig, max: number): Pool {
  const pool = new Pool({ ...config, max });
  // A lost connection is replaced at the next use, and who waits for it is told by the query; without
  // listeners, on the idle ones and on those at work, the loss would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
