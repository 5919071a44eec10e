import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from, to } from 'pg-copy-streams';
import { DatabaseError, type Transaction, type TransactionOptions } from '../port.ts';
import { fromPostgres } from './failures.ts';

/** Postgres ends a transaction that is idle for this long, so that a frozen process keeps no locks. */
const IDLE_TIMEOUT = '60s';

/** Statement timeout if the options have none (ms). */
const STATEMENT_TIMEOUT = 60_000;

/** Number of bytes per message of a `copy … from stdin`. */
const COPY_CHUNK = 1 << 16;

/** The statements that begin a transaction, joined for one round trip. Their settings end with the transaction. */
function beginning({ snapshot, readOnly, durable, role }: TransactionOptions, timeoutMs: number): string {
  const statements = [
    `begin${snapshot ? ' isolation level repeatable read' : ''}${readOnly ? ' read only' : ''}`,
    "set local timezone = 'UTC'",
    "set local datestyle = 'ISO'",
    `set local idle_in_transaction_session_timeout = '${IDLE_TIMEOUT}'`,
    `set local statement_timeout = ${timeoutMs}`,
  ];
  if (durable) statements.push('set local synchronous_commit = on');
  if (role) statements.push(`set local role ${role}`);
  return statements.join('; ');
}

function* chunksOf(data: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < data.length; start += COPY_CHUNK)
    yield data.subarray(start, start + COPY_CHUNK);
}

async function copyIn(client: PoolClient, sql: string, data: Uint8Array): Promise<number> {
  const stream = client.query(from(sql));
  await pipeline(chunksOf(data), stream);
  return stream.rowCount ?? 0;
}

async function copyOut(client: PoolClient, sql: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of client.query(to(sql))) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

/**
 * Waits for a response, and closes the connection if there is none after `ms`. Without this, TCP retries for a quarter
 * of an hour before it reports that a server has disappeared.
 */
export function respondedWithin<T>(client: PoolClient, ms: number, response: Promise<T>): Promise<T> {
  const timer = setTimeout(() => client.connection.stream.destroy(), ms);
  return response.finally(() => clearTimeout(timer));
}

/**
 * Runs `work` in one transaction. Closes the connection if a response is `graceMs` later than the statement timeout, at
 * which the server ends the statement itself.
 */
export async function runTransaction<T>(
  client: PoolClient,
  work: (transaction: Transaction) => Promise<T>,
  options: TransactionOptions,
  graceMs: number,
): Promise<T> {
  const timeoutMs = Math.max(1, Math.ceil(options.statementTimeoutMs ?? STATEMENT_TIMEOUT));
  const responded = <R>(response: Promise<R>) => respondedWithin(client, timeoutMs + graceMs, response);
  await responded(client.query(beginning(options, timeoutMs)));
  let isOpen = true;
  const run = async <R>(statement: () => Promise<R>): Promise<R> => {
    if (!isOpen) throw new Error('This transaction has ended.');
    try {
      return await responded(statement());
    } catch (error) {
      throw fromPostgres(error);
    }
  };
  const result = await work({
    query: async (text, values = []) => {
      // The extended protocol allows one statement per query. An unnamed statement works through all poolers.
      const query = { text, values: [...values], queryMode: 'extended' as const };
      return (await run(() => client.query(query))).rows;
    },
    script: async (sql) => {
      await run(() => client.query(sql));
    },
    copyIn: (sql, data) => run(() => copyIn(client, sql, data)),
    copyOut: (sql) => run(() => copyOut(client, sql)),
  }).finally(() => {
    isOpen = false;
  });
  const { command } = await responded(client.query('commit'));
  // A statement has failed, but `work` caught its error.
  if (command === 'ROLLBACK')
    throw new DatabaseError({ message: 'the transaction failed earlier and was rolled back', code: '25P02' });
  return result;
}
