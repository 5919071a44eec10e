import type { ReadMetrics } from '../metrics/read-metrics.ts';
import { ADMISSION, type AdmissionLimits, createAdmission, overloaded } from './admission.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import { logFailure, refusalOf } from './failure.ts';
import type { GateOptions } from './gate.ts';
import { answerInsert } from './insert.ts';
import { answerRead } from './read.ts';
import { type ReadAnswer, toReadAnswer } from './read-answer.ts';
import { addressed, answerRefusal, understand } from './understand.ts';

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
    const asked = understand(options, request);
    if (asked.kind === 'answer') return addressed(request, asked.response);
    try {
      if (asked.kind === 'insert') {
        const { insert } = asked;
        const work = () => logged(answerInsert(database, insert), 'POST', insert.query.table.name);
        return addressed(request, await admitInsert(work));
      }
      const { read } = asked;
      const work = () => logged(answerRead(database, read), request.method, read.query.table.name);
      const response = await withinTime(admitRead(work), Math.max(WAIT_MS, patienceMs));
      metrics.count('database');
      return toReadAnswer(response);
    } catch (error) {
      const refusal = refusalOf(error);
      if (asked.kind === 'read' && refusal.status === 503) metrics.count('refused');
      return addressed(request, answerRefusal(refusal));
    }
  };
}
