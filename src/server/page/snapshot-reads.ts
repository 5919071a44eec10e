import type { Database, Transaction } from '#database/port.ts';
import { QueryError } from '#queries/query-error.ts';
import type { SendRead } from '#queries/read-rows.ts';
import { runRead, toReadResponse } from '#queries/read-statement.ts';
import type { TableRead } from '#queries/table-reads.ts';
import type { RestResponse } from '../rest/exchange.ts';
import { listResponse, READ_OPTIONS } from '../rest/read.ts';

/** Called with each read and the response of the table-query gate to it. */
type OnResponse = (read: TableRead, response: RestResponse) => void;

/** Performs reads in one snapshot of the tables. Rejects with QueryError, whose cause is the database's error. */
export type SnapshotReads = <T>(read: (send: SendRead) => Promise<T>, onResponse?: OnResponse) => Promise<T>;

/** Time limit (ms). Reads in a browser have the same one. */
const TIMEOUT_MS = 15_000;
/** Maximum number of pending snapshots while the database does not respond. Each uses a connection. */
const MAX_PENDING = 2;

function unavailable(cause: unknown): QueryError {
  const error = new QueryError('failed_to_fetch');
  error.cause = cause;
  return error;
}

/** Rejects with the reason of the signal when the signal aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/**
 * Creates the reads that the server itself makes. They have the public role and use one snapshot, so that a page never
 * mixes the rows of two runs. The statements run one after another, and none runs after a failed one.
 */
export function createSnapshotReads(database: Database): SnapshotReads {
  let pending = 0;
  return async (read, onResponse) => {
    if (pending >= MAX_PENDING) throw unavailable(new Error('Earlier reads of the page are still pending.'));
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const work = (transaction: Transaction) => {
      let last: Promise<unknown> = Promise.resolve();
      return read((tableRead) => {
        const response = last.then(async () => {
          limit.throwIfAborted();
          const result = await runRead(transaction, tableRead);
          onResponse?.(tableRead, listResponse(tableRead, result));
          return toReadResponse(result);
        });
        last = response;
        return response;
      });
    };
    pending += 1;
    const reading = database.transaction(work, { ...READ_OPTIONS, snapshot: true }).finally(() => {
      pending -= 1;
    });
    return Promise.race([reading, aborted(limit)]).catch((error: unknown) => {
      throw unavailable(error);
    });
  };
}
