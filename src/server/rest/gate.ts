import type { Database } from '#database/port.ts';
import type { Log } from '../log.ts';
import { forClient } from './cors.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import { executeInsert } from './insert.ts';
import { parseRequest } from './parse-request.ts';
import { executeRead } from './read.ts';
import { logFailure, refusalOf, refusalResponse } from './refusal.ts';
import type { Tables } from './tables.ts';

export interface GateOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly publicKey: string;
  readonly log: Log;
}

/** Never rejects. */
export type Gate = (request: RestRequest) => Promise<RestResponse>;

/** The table-query gate without a cache: the dialect of PostgREST that the product uses, as the role `anon`. */
export function createGate({ database, tables, publicKey, log }: GateOptions): Gate {
  return async (request) => {
    const parsed = parseRequest({ tables, publicKey }, request);
    if (parsed.kind === 'response') return forClient(request, parsed.response);
    const { table } = parsed.kind === 'read' ? parsed.read.query : parsed.insert.query;
    try {
      const response = await (parsed.kind === 'read'
        ? executeRead(database, parsed.read)
        : executeInsert(database, parsed.insert));
      return forClient(request, response);
    } catch (error) {
      logFailure(log, { method: request.method, table: table.name }, error);
      return forClient(request, refusalResponse(refusalOf(error)));
    }
  };
}
