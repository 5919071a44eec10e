import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from, to } from 'pg-copy-streams';
import { failedTransaction, type Transaction, type TransactionOptions } from '../port.ts';
import { beginStatements, type Statement, type StatementResult, withStatements } from '../statements.ts';
import { fromPostgres } from './failures.ts';

/** Postgres ends a transaction that is idle for this long, so that a frozen process keeps no locks. */
const IDLE_TIMEOUT = '60s';

/** Statement timeout if the options have none (ms). */
const STATEMENT_TIMEOUT = 60_000;

/** Number of bytes per message of a `copy … from stdin`. */
const COPY_CHUNK = 1 << 16;

const timeoutOf = ({ statementTimeoutMs = STATEMENT_TIMEOUT }: TransactionOptions): number =>
  Math.max(1, Math.ceil(statementTimeoutMs));

const beginAll = (options: TransactionOptions): string =>
  [
    beginStatements(options),
    `set local idle_in_transaction_session_timeout = '${IDLE_TIMEOUT}'`,
    `set local statement_timeout = ${timeoutOf(options)}`,
  ].join('; ');

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

async function runStatement(client: PoolClient, statement: Statement): Promise<StatementResult> {
  const { kind, sql: text } = statement;
  switch (kind) {
    case 'query': {
      // The extended protocol allows one statement per query. An unnamed statement works through all poolers.
      const query = { text, values: [...statement.parameters], queryMode: 'extended' as const };
      return (await client.query(query)).rows;
    }
    case 'script':
      await client.query(text);
      return null;
    case 'copyIn':
      return copyIn(client, text, statement.data);
    case 'copyOut':
      return copyOut(client, text);
  }
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
  const responded = <R>(response: Promise<R>) =>
    respondedWithin(client, timeoutOf(options) + graceMs, response);
  await responded(client.query(beginAll(options)));
  const result = await withStatements(
    (statement) =>
      responded(runStatement(client, statement)).catch((error: unknown) => {
        throw fromPostgres(error);
      }),
    work,
  );
  const { command } = await responded(client.query('commit'));
  if (command === 'ROLLBACK') throw failedTransaction();
  return result;
}
