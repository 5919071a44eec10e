import type { Database } from '#database/port.ts';
import type { Log } from '../log.ts';
import type { ServerCounts } from '../metrics/metrics.ts';
import { ADMISSION, createAdmission, overloaded } from './admission.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import { executeInsert, type Insert } from './insert.ts';
import { parseRequest } from './parse-request.ts';
import { executeRead, type Read } from './read.ts';
import { logFailure, refusalOf } from './refusal.ts';
import type { Tables } from './tables.ts';

interface GateOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly publicKey: string;
  readonly counts: ServerCounts['reads'];
  readonly log: Log;
  /** How long a client waits for the database (ms); 5,000 if not given. */
  readonly waitMs?: number | undefined;
}

/** Responds to any request. The response has no CORS headers, and has the body of GET for HEAD. Never rejects. */
export type Gate = (request: RestRequest) => Promise<RestResponse>;

/** The promise's result, or a rejection with `overloaded` after `ms`; the work goes on. */
function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(overloaded()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * The table-query gate: the part of PostgREST's dialect that the product uses, as the role `anon`. Limits the database
 * time of its clients.
 */
export function createGate(options: GateOptions): Gate {
  const { database, log, counts, waitMs = 5_000 } = options;
  const admitRead = createAdmission({ ...ADMISSION.reads, waitMs });
  const admitInsert = createAdmission({ ...ADMISSION.inserts, waitMs });

  /** Also logs the failure of a read whose client no longer waits. */
  async function execute(parsed: Read | Insert, method: string): Promise<RestResponse> {
    try {
      return await (parsed.kind === 'read' ? executeRead(database, parsed) : executeInsert(database, parsed));
    } catch (error) {
      logFailure(log, { method, table: parsed.query.table.name }, error);
      throw error;
    }
  }

  return async (request) => {
    const parsed = parseRequest(options, request);
    if (parsed.kind === 'response') return parsed.response;
    const run = () => execute(parsed, request.method);
    try {
      // An insert that has begun is awaited to its end: a 503 would hide that its rows may be stored.
      if (parsed.kind === 'insert') return await admitInsert(run);
      const response = await withinTime(admitRead(run), waitMs);
      counts.database += 1;
      return response;
    } catch (error) {
      const refusal = refusalOf(error);
      if (parsed.kind === 'read' && refusal.status === 503) counts.refused += 1;
      return refusal.response;
    }
  };
}
