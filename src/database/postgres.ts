import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { type ClientConfig, Pool, type PoolClient, type PoolConfig } from 'pg';
import { from, to } from 'pg-copy-streams';
import { connectionTo, placeOf } from './address.ts';
import { DatabaseUnavailable, fromPostgres, unreachable } from './failures.ts';
import { migrate } from './migrate.ts';
import { listen } from './notifications.ts';
import {
  type Database,
  DatabaseError,
  queryOnce,
  type Transaction,
  type TransactionOptions,
} from './port.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  max?: number;
  migrationsFolder?: string | undefined;
}

/** A connection is closed if a response is this much later than its timeout (ms): time for the network and a busy machine. */
const GRACE = 3_000;

/** Timeout of the first statement (ms): a pooler accepts connections even while Postgres is down. */
const FIRST_TIMEOUT = 5_000;

/** Converts Postgres' text in UTC to ISO text with milliseconds. Returns values without an ISO form (infinity, BC) unchanged. */
export function isoInstant(text: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d) ([\d:.]+)\+00$/.exec(text) ?? [];
  const instant = new Date(`${day}T${time}Z`);
  return Number.isNaN(instant.getTime()) ? text : instant.toISOString();
}

/** Functions that convert Postgres' text to a value of a `Row`, by the oid of the type. */
const PARSERS = new Map<number, (text: string) => unknown>([
  [16, (text) => text === 't'], // bool
  ...[20, 21, 23, 26, 700, 701, 1700].map((oid) => [oid, Number] as const), // int8, …, float4, float8, numeric
  [114, (text) => JSON.parse(text)], // json
  [3802, (text) => JSON.parse(text)], // jsonb
  [1184, isoInstant], // timestamptz
]);

/** Settings of the driver for each connection. Keep-alive detects a server that has disappeared. */
export const CONNECTION_DEFAULTS = {
  types: { getTypeParser: (oid: number) => PARSERS.get(oid) ?? String },
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 30_000,
} satisfies ClientConfig;

export function newPool(config: PoolConfig, max = 10): Pool {
  const pool = new Pool({ ...CONNECTION_DEFAULTS, ...config, max });
  // The pool replaces a lost connection, and its query throws. Without a listener, the event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  // A server that has disappeared never closes its side, so only a connection in use keeps the process alive.
  pool.on('acquire', ({ connection }) => (connection.stream as Socket).ref());
  pool.on('release', (_error, { connection }) => (connection.stream as Socket).unref());
  return pool;
}

/** Opens a connection pool to Postgres 15 or newer, and applies the migrations. Throws `DatabaseUnavailable`. */
export async function openPostgres({ url, max, ...options }: PostgresOptions): Promise<Database> {
  const pool = newPool(connectionTo(url), max);
  const connect = () =>
    pool.connect().catch((error) => {
      throw unreachable(error, placeOf(url));
    });
  return openPool({ connect, close: () => pool.end(), ...options });
}

interface PoolOptions extends Pick<PostgresOptions, 'migrationsFolder'> {
  /** Returns a connection for one transaction. */
  connect(): Promise<PoolClient>;
  close(): Promise<void>;
}

/** Returns a database with a connection for each transaction, after the migrations. Closes it if that fails. */
export async function openPool({ connect, close, migrationsFolder }: PoolOptions): Promise<Database> {
  let closing: Promise<void> | undefined;
  const database: Database = {
    transaction: async (work, options = {}) => {
      if (closing) throw new DatabaseUnavailable('unusable', 'The database is closed.');
      const client = await connect();
      let broken = false;
      try {
        return await runTransaction(client, work, options);
      } catch (error) {
        await respondedWithin(client, 0, client.query('rollback')).catch(() => {
          broken = true;
        });
        throw fromPostgres(error);
      } finally {
        client.release(broken);
      }
    },
    listen: (channel, wake) => listen(connect, channel, wake),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
  try {
    const first = { statementTimeoutMs: FIRST_TIMEOUT };
    await queryOnce(database, 'select 1', [], first);
    if (migrationsFolder) await migrate(database, migrationsFolder);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** The statements that begin a transaction, joined for one round trip. Their settings end with the transaction. */
function beginning({ snapshot, readOnly, durable, role }: TransactionOptions, timeoutMs: number): string {
  const statements = [
    `begin${snapshot ? ' isolation level repeatable read' : ''}${readOnly ? ' read only' : ''}`,
    "set local timezone = 'UTC'",
    "set local datestyle = 'ISO'",
    // So that a frozen process keeps no locks.
    "set local idle_in_transaction_session_timeout = '60s'",
    `set local statement_timeout = ${timeoutMs}`,
  ];
  if (durable) statements.push('set local synchronous_commit = on');
  if (role) statements.push(`set local role ${role}`);
  return statements.join('; ');
}

async function copyIn(client: PoolClient, sql: string, data: Uint8Array): Promise<number> {
  const stream = client.query(from(sql));
  const size = 1 << 16;
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < data.length; at += size) chunks.push(data.subarray(at, at + size));
  await pipeline(chunks, stream);
  return stream.rowCount ?? 0;
}

/** Closes the connection if no response comes within `ms` and `GRACE`. TCP would retry for a quarter of an hour. */
function respondedWithin<T>(client: PoolClient, ms: number, response: Promise<T>): Promise<T> {
  const timer = setTimeout(() => client.connection.stream.destroy(), ms + GRACE);
  return response.finally(() => clearTimeout(timer));
}

/** Runs `work` in one transaction. Closes the connection if a response is later than the server's own timeout. */
async function runTransaction<T>(
  client: PoolClient,
  work: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const timeoutMs = Math.max(1, Math.ceil(options.statementTimeoutMs ?? 60_000));
  const responded = <R>(response: Promise<R>) => respondedWithin(client, timeoutMs, response);
  await responded(client.query(beginning(options, timeoutMs)));
  let isOpen = true;
  const run = async <R>(statement: () => Promise<R>): Promise<R> => {
    if (!isOpen) throw new Error('This transaction has ended.');
    return responded(statement()).catch((error) => {
      throw fromPostgres(error);
    });
  };
  const result = await work({
    query: async (text, values = []) => {
      // The extended protocol allows one statement per query. An unnamed statement works through all poolers.
      const query = { text, values: [...values], queryMode: 'extended' as const };
      return (await run(() => client.query(query))).rows;
    },
    script: (sql) => run(() => client.query(sql)).then(() => undefined),
    copyIn: (sql, data) => run(() => copyIn(client, sql, data)),
    async *copyOut(sql) {
      const pieces = await run(async () => client.query(to(sql))[Symbol.asyncIterator]());
      let isStopped = false;
      try {
        for (;;) {
          const { value, done } = await run(() => pieces.next());
          if (done) return;
          isStopped = true;
          yield value;
          isStopped = false;
        }
      } finally {
        // The output that nobody reads blocks the connection.
        if (isStopped) client.connection.stream.destroy();
      }
    },
  }).finally(() => {
    isOpen = false;
  });
  const { command } = await responded(client.query('commit'));
  // A statement has failed, but `work` caught its error.
  if (command === 'ROLLBACK')
    throw new DatabaseError({ message: 'the transaction failed earlier and was rolled back', code: '25P02' });
  return result;
}
