import type { ReadMetrics } from '../metrics/read-metrics.ts';
import { ADMISSION, type AdmissionLimits, createAdmission, overloaded } from './admission.ts';
import { forClient } from './cors.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import type { GateOptions } from './gate.ts';
import { executeInsert } from './insert.ts';
import { parseRequest } from './parse-request.ts';
import { executeRead } from './read.ts';
import { type ReadAnswer, toReadAnswer } from './read-answer.ts';
import { logFailure, refusalOf, refusalResponse } from './refusal.ts';

/** How long a client waits for the database. */
const WAIT_MS = 5_000;

interface ServedGateOptions extends GateOptions {
  readonly metrics: ReadMetrics;
  /** How long a client waits at least (ms): for tests on busy machines. */
  readonly patienceMs?: number | undefined;
}

/** Responds to any request. A successful read comes without the headers that depend on the client, and with its rows for HEAD too. */
export type ServedGate = (request: RestRequest) => Promise<RestResponse | ReadAnswer>;

/** The promise's result, or a rejection with `overloaded` after `ms`; the work goes on. */
function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(overloaded()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The table-query gate with bounds on how much of the database its clients take up; `createGate` has the dialect. */
export function createServedGate(options: ServedGateOptions): ServedGate {
  const { database, log, metrics, patienceMs = 0 } = options;
  const admission = (limits: AdmissionLimits) =>
    createAdmission({ ...limits, waitMs: Math.max(limits.waitMs, patienceMs) });
  const admitRead = admission(ADMISSION.reads);
  const admitInsert = admission(ADMISSION.inserts);

  const logged = <T>(work: Promise<T>, method: string, table: string) =>
    work.catch((error: unknown) => {
      logFailure(log, { method, table }, error);
      throw error;
    });

  return async (request) => {
    const parsed = parseRequest(options, request);
    if (parsed.kind === 'response') return forClient(request, parsed.response);
    try {
      if (parsed.kind === 'insert') {
        const { insert } = parsed;
        const work = () => logged(executeInsert(database, insert), 'POST', insert.query.table.name);
        return forClient(request, await admitInsert(work));
      }
      const { read } = parsed;
      const work = () => logged(executeRead(database, read), request.method, read.query.table.name);
      const response = await withinTime(admitRead(work), Math.max(WAIT_MS, patienceMs));
      metrics.count('database');
      return toReadAnswer(response);
    } catch (error) {
      const refusal = refusalOf(error);
      if (parsed.kind === 'read' && refusal.status === 503) metrics.count('refused');
      return forClient(request, refusalResponse(refusal));
    }
  };
}
