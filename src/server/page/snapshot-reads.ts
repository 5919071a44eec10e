import type { Database, Transaction } from '#database/port.ts';
import { QueryError } from '#queries/query-error.ts';
import type { SendRead } from '#queries/read-rows.ts';
import type { Log } from '../log.ts';
import { REST_LIMITS } from '../rest/dialect.ts';
import { createGate } from '../rest/gate.ts';
import type { Tables } from '../rest/tables.ts';
import { aborted, type OnResponse, sendThroughGate } from './gate-reads.ts';

/** Runs a read in one snapshot of the tables. Rejects with QueryError, whose cause says what happened. */
export type SnapshotReads = <T>(read: (send: SendRead) => Promise<T>, onResponse?: OnResponse) => Promise<T>;

// The gate and its only client are made together here, so any key will do.
const PUBLIC_KEY = 'in-process';

/** As long as a browser waits for its reads, and so long that no slow database counts as one that is away. */
const PATIENCE_MS = 15_000;
/** A database that keeps silent keeps what was begun, and the connections of no more than so many reads. */
const MOST_OWED = 2;

const OPTIONS = {
  role: 'anon',
  readOnly: true,
  snapshot: true,
  statementTimeoutMs: REST_LIMITS.statementMs,
} as const;

// Whoever reads says what became of it, once; the gate would say it of each table.
const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * An open transaction in the place of a database. Its statements run one after another, none after one that
 * failed; role, limits and instant are those it was opened with, whatever is asked for here.
 */
function databaseWithin(
  database: Database,
  transaction: Transaction,
  failed: (error: unknown) => void,
): Database {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...database,
    transaction: (work) => {
      const turn = last.then(() => work(transaction));
      turn.catch(failed);
      last = turn;
      return turn;
    },
  };
}

function away(cause: unknown): QueryError {
  const error = new QueryError('failed_to_fetch');
  error.cause = cause;
  return error;
}

/**
 * What reads the tables within the server: the page's own reads through a gate, as the public role, hence what a
 * visitor's browser would read, but all of them of one instant, so that nothing made of them mixes two runs. It
 * waits for a silent database no longer than a browser does.
 */
export function createSnapshotReads(database: Database, tables: Tables): SnapshotReads {
  let owed = 0;
  return async (read, onResponse) => {
    if (owed >= MOST_OWED) throw away(new Error('the database still owes earlier answers'));
    const limit = AbortSignal.timeout(PATIENCE_MS);
    /** What the database failed with first, which the gate tells nobody. */
    let first: unknown = null;
    const failed = (error: unknown) => {
      first ??= error;
    };
    owed += 1;
    const reading = database
      .transaction(async (transaction) => {
        limit.throwIfAborted();
        const within = databaseWithin(database, transaction, failed);
        const gate = createGate({ database: within, tables, publicKey: PUBLIC_KEY, log: SILENT });
        return read(sendThroughGate(gate, PUBLIC_KEY, limit, onResponse));
      }, OPTIONS)
      .finally(() => {
        owed -= 1;
      });
    return Promise.race([reading, aborted(limit)]).catch((error: unknown) => {
      throw away(first ?? error);
    });
  };
}
