import { once } from 'node:events';
import type { Database, Transaction } from '#database/port.ts';
import { QueryError } from '#queries/query-error.ts';
import { readDashboard } from '#queries/read-dashboard.ts';
import type { SendRead } from '#queries/read-rows.ts';
import { type Runner, sendInto } from '#queries/read-statement.ts';
import type { TableRead } from '#queries/table-reads.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { marketClockAt } from '#views/market-hours-view.ts';
import { sourceOf } from '#views/sources-view.ts';
import type { RestResponse } from '../rest/exchange.ts';
import { listResponse, READ_OPTIONS } from '../rest/read.ts';

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

/** Creates the server's own reads, in one snapshot, so that a page never mixes the rows of two runs. */
export function createSnapshotReads(database: Database): SnapshotReads {
  let pending = 0;
  return async (read, onResponse) => {
    if (pending >= MAX_PENDING) throw unavailable(new Error('Earlier reads of the page are still pending.'));
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const work = (transaction: Transaction) => {
      const runner: Runner = {
        query(sql, parameters) {
          limit.throwIfAborted();
          return transaction.query(sql, parameters);
        },
      };
      return read(
        sendInto(runner, undefined, (sent, result) => onResponse?.(sent, listResponse(sent, result))),
      );
    };
    pending += 1;
    const reading = database.transaction(work, { ...READ_OPTIONS, snapshot: true }).finally(() => {
      pending -= 1;
    });
    const expired = once(limit, 'abort').then(() => Promise.reject(limit.reason));
    return Promise.race([reading, expired]).catch((error: unknown) => {
      throw unavailable(error);
    });
  };
}

/**
 * Reads the newest rows as the page's view, and their source. `at` (epoch ms) is the clock of the view and limits no row:
 * `readsUpTo` does. The view has no timeline, which the browser reads when its chart is opened. `withTimeline` reads it
 * too, because a release stores the response. Throws QueryError.
 */
export async function readView(send: SendRead, at: number, productName: string, withTimeline = false) {
  const rows = await readDashboard(send, marketClockAt(at), withTimeline);
  const shown = { ...rows, fearGreed: { ...rows.fearGreed, timeline: [] } };
  return { view: dashboardView(shown, at, productName), source: sourceOf(rows) };
}
