import type { Database } from '#database/port.ts';
import type { Log } from '../log.ts';
import type { ServerCounts } from '../metrics/metrics.ts';
import { ADMISSION, type AdmissionLimits, createAdmission, overloaded } from './admission.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import { executeInsert } from './insert.ts';
import { parseRequest } from './parse-request.ts';
import { executeRead } from './read.ts';
import { logFailure, refusalOf, refusalResponse } from './refusal.ts';
import type { Tables } from './tables.ts';

/** How long a client waits for the database. */
const WAIT_MS = 5_000;

interface GateOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly publicKey: string;
  readonly counts: ServerCounts['reads'];
  readonly log: Log;
  /** How long a client waits at least (ms): for tests on busy machines. */
  readonly patienceMs?: number | undefined;
}

/** Responds to any request. The response has no CORS headers, and its body for HEAD too. Never rejects. */
export type Gate = (request: RestRequest) => Promise<RestResponse>;

/** The promise's result, or a rejection with `overloaded` after `ms`; the work goes on. */
function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(overloaded()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * The table-query gate: the part of PostgREST's dialect that the product uses, as the role `anon`, with bounds on how much
 * of the database its clients take up.
 */
export function createGate(options: GateOptions): Gate {
  const { database, log, counts, patienceMs = 0 } = options;
  const admission = (limits: AdmissionLimits) =>
    createAdmission({ ...limits, waitMs: Math.max(limits.waitMs, patienceMs) });
  const admitRead = admission(ADMISSION.reads);
  const admitInsert = admission(ADMISSION.inserts);

  return async (request) => {
    const parsed = parseRequest(options, request);
    if (parsed.kind === 'response') return parsed.response;
    const { name: table } = (parsed.kind === 'read' ? parsed.read : parsed.insert).query.table;
    const logged = (work: Promise<RestResponse>) =>
      work.catch((error: unknown) => {
        logFailure(log, { method: request.method, table }, error);
        throw error;
      });
    try {
      if (parsed.kind === 'insert') {
        return await admitInsert(() => logged(executeInsert(database, parsed.insert)));
      }
      const reading = admitRead(() => logged(executeRead(database, parsed.read)));
      const response = await withinTime(reading, Math.max(WAIT_MS, patienceMs));
      counts.database += 1;
      return response;
    } catch (error) {
      const refusal = refusalOf(error);
      if (parsed.kind === 'read' && refusal.status === 503) counts.refused += 1;
      return refusalResponse(refusal);
    }
  };
}
