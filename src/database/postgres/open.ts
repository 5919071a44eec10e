import { type ClientConfig, Pool, type PoolClient } from 'pg';
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
import { parserFor } from '../values.ts';
import { copyIn, copyOut } from './copy.ts';
import { fromPostgres, unreachable } from './failures.ts';
import { listenOn } from './listen.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  /** Connections at most. */
  max?: number;
  /** Migrations to bring the database up to before it is handed out. */
  migrationsFolder?: string;
}

/** Always the extended protocol, which takes one statement; never named, so that any pooler will do. */
const extended = (text: string, parameters: readonly Parameter[]) => ({
  text,
  values: [...parameters],
  queryMode: 'extended' as const,
});

function transactionOn(client: PoolClient) {
  let isOpen = true;
  const attempt = async <T>(run: () => Promise<T>): Promise<T> => {
    if (!isOpen) throw new Error('This transaction is over.');
    return run().catch((error: unknown) => {
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

const begin = (options: TransactionOptions): string => {
  const statements = [beginStatements(options), `set local idle_in_transaction_session_timeout = '${IDLE}'`];
  if (options.statementTimeoutMs !== undefined) {
    statements.push(`set local statement_timeout = ${Math.max(1, Math.ceil(options.statementTimeoutMs))}`);
  }
  return statements.join('; ');
};

async function runTransaction<T>(
  client: PoolClient,
  work: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  await client.query(begin(options));
  const { transaction, finish } = transactionOn(client);
  const result = await work(transaction).finally(finish);
  const { command } = await client.query('commit');
  if (command === 'ROLLBACK') throw failedTransaction();
  return result;
}

/** A server that is gone without a word is found out so long after it last answered (ms), and some seconds. */
const SILENT_FOR = 30_000;

/** Opens a pool over any Postgres of version 15 or newer. Throws `DatabaseUnavailable`. */
export async function openPostgres({ url, max = 10, migrationsFolder }: PostgresOptions): Promise<Database> {
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
        return await runTransaction(client, work, options);
      } catch (error) {
        await client.query('rollback').catch(() => {
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
    await database.transaction((transaction) => transaction.query('select 1'));
    if (migrationsFolder) await migrate(database, migrationsFolder);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

type Config = ClientConfig & { connectionString: string };

const connectionTo = (url: string): Config => ({
  connectionString: url,
  types: { getTypeParser: (oid: number) => parserFor(oid) },
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: SILENT_FOR,
});

function newPool(config: Config, max: number): Pool {
  let pool: Pool;
  try {
    pool = new Pool({ ...config, max });
  } catch (error) {
    throw unreachable(error, config.connectionString);
  }
  // A lost connection is replaced at the next use, and who waits for it is told by the query; without
  // listeners, on the idle ones and on those at work, the loss would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
