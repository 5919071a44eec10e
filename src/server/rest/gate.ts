import type { Database } from '#database/port.ts';
import type { Log } from '../log.ts';
import type { ServerCounts } from '../metrics/metrics.ts';
import { createQueue, TooManyWaiting } from '../queue.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import type { Tables } from './exposed-tables.ts';
import { executeInsert, type Insert } from './insert.ts';
import { parseRequest } from './parse-request.ts';
import { executeRead, type Read } from './read.ts';
import { logFailure, refusalOf } from './refusal.ts';

interface GateOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly publicKey: string;
  readonly counts: ServerCounts['reads'];
  readonly log: Log;
  /** Maximum time that a client waits for the database (ms); 5,000 by default. */
  readonly waitMs?: number | undefined;
}

/** Responds to any request, without CORS headers. HEAD gets the body of GET, which the caller removes. Never rejects. */
export type Gate = (request: RestRequest) => Promise<RestResponse>;

/** Limits of reads and of inserts. Up to 256 of each wait. They leave some connections to jobs and health checks. */
export const QUEUES = { reads: { atOnce: 5, most: 261 }, inserts: { atOnce: 2, most: 258 } } as const;

/** Resolves with the result of the promise, or rejects with TooManyWaiting after `ms`. The work continues in both cases. */
function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TooManyWaiting()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Creates the table-query gate: the part of PostgREST's dialect that the product uses, as the role `anon`. */
export function createGate(options: GateOptions): Gate {
  const { database, log, counts, waitMs = 5_000 } = options;
  const queueRead = createQueue({ ...QUEUES.reads, waitMs });
  const queueInsert = createQueue({ ...QUEUES.inserts, waitMs });

  /** Also logs a failure that happens after the client has stopped waiting. */
  async function execute(parsed: Read | Insert, method: string, leftMs: number): Promise<RestResponse> {
    try {
      return await (parsed.kind === 'read'
        ? executeRead(database, parsed)
        : executeInsert(database, parsed, leftMs));
    } catch (error) {
      const table = parsed.kind === 'read' ? parsed.read.table : parsed.table.name;
      logFailure(log, { method, table }, error);
      throw error;
    }
  }

  return async (request) => {
    const parsed = parseRequest(options, request);
    if (parsed.kind === 'response') return parsed.response;
    const run = (leftMs: number) => execute(parsed, request.method, leftMs);
    try {
      // Postgres itself ends an insert that takes too long. An earlier 503 would hide that rows may be stored.
      if (parsed.kind === 'insert') return await queueInsert(request.client, run);
      const response = await withinTime(queueRead(request.client, run), waitMs);
      counts.database += 1;
      return response;
    } catch (error) {
      const refusal = refusalOf(error);
      if (parsed.kind === 'read' && refusal.status === 503) counts.refused += 1;
      return refusal.response;
    }
  };
}
