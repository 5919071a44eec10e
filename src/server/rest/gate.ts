import type { Database } from '#database/port.ts';
import type { Log } from '../log.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import { logFailure, refusalOf } from './failure.ts';
import { answerInsert } from './insert.ts';
import { answerRead } from './read.ts';
import type { Tables } from './tables.ts';
import { addressed, answerRefusal, understand } from './understand.ts';

export interface GateOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly publicKey: string;
  readonly log: Log;
}

export type Gate = (request: RestRequest) => Promise<RestResponse>;

/**
 * The table-query gate: PostgREST's dialect, as far as the product uses it, on the exposed tables as the
 * role `anon`, each request from the database itself. It answers every request.
 */
export function createGate({ database, tables, publicKey, log }: GateOptions): Gate {
  return async (request) => {
    const asked = understand({ tables, publicKey }, request);
    if (asked.kind === 'answer') return addressed(request, asked.response);
    const { table } = asked.kind === 'read' ? asked.read.query : asked.insert.query;
    try {
      const response = await (asked.kind === 'read'
        ? answerRead(database, asked.read)
        : answerInsert(database, asked.insert));
      return addressed(request, response);
    } catch (error) {
      logFailure(log, { method: request.method, table: table.name }, error);
      return addressed(request, answerRefusal(refusalOf(error)));
    }
  };
}
