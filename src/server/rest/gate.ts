import { type Database, DatabaseError } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import { failureFields, type Log } from '../log.ts';
import { checkAccess } from './access.ts';
import { answerOptions, corsHeaders } from './cors.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import { answerInsert } from './insert.ts';
import { answerRead } from './read.ts';
import { permissionDenied, Refusal, unknownTable } from './refusal.ts';
import { databaseAway, refusalOfDatabaseError } from './sqlstate.ts';
import type { Table, Tables } from './tables.ts';

export interface GateOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly publicKey: string;
  readonly log: Log;
}

export type Gate = (request: RestRequest) => Promise<RestResponse>;

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };
const NOT_THERE: RestResponse = { status: 404, headers: JSON_TYPE, body: '{}' };

function answerRefusal({ status, code, details, hint, message, headers }: Refusal): RestResponse {
  const body = JSON.stringify({ code, details, hint, message });
  return { status, headers: { ...JSON_TYPE, ...headers }, body };
}

/** The table name of a path; null when the path is anything else than a name. */
function tableNameOf(path: string): string | null {
  const encoded = /^\/([^/]+)$/.exec(path)?.[1];
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

function checkProfile(request: RestRequest): Record<string, string> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const profile = request.headers[isRead ? 'accept-profile' : 'content-profile'];
  if (profile === undefined) return {};
  if (profile === 'public') return { 'Content-Profile': profile };
  throw new Refusal({
    status: 406,
    code: 'PGRST106',
    message: 'The schema must be one of the following: public',
  });
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

function checkMethod(method: string): void {
  if (METHODS.includes(method)) return;
  const message = `Unsupported HTTP method: ${method}`;
  throw new Refusal({ status: 405, code: 'PGRST117', message });
}

/** The answer to a write that the public role could never make. Throws `Refusal` for those with a body. */
function refuseWrite(method: string, table: Table): never {
  if (method !== 'PUT') throw permissionDenied(table.name);
  throw new Refusal({
    status: 405,
    code: 'PGRST105',
    message: "Filters must include all and only primary key columns with 'eq' operators",
  });
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof DatabaseError) return refusalOfDatabaseError(error);
  if (error instanceof DatabaseUnavailable) return databaseAway();
  const message = 'The request could not be answered';
  return new Refusal({ status: 500, code: 'XX000', message });
}

/**
 * The table-query gate: PostgREST's dialect, as far as the product uses it, on the exposed tables as the
 * role `anon`. It answers every request; it never throws.
 */
export function createGate({ database, tables, publicKey, log }: GateOptions): Gate {
  async function answer(request: RestRequest, name: string): Promise<RestResponse> {
    const { method } = request;
    checkMethod(method);
    const profile = checkProfile(request);
    const table = tables.get(name);
    if (table === undefined && method === 'POST') return NOT_THERE;
    if (table === undefined) throw unknownTable(name);
    if (method === 'POST') return answerInsert(database, table, request);
    if (method !== 'GET' && method !== 'HEAD') return refuseWrite(method, table);
    const response = await answerRead(database, table, request);
    return { ...response, headers: { ...response.headers, ...profile } };
  }

  async function answerOrRefuse(request: RestRequest, name: string): Promise<RestResponse> {
    try {
      return await answer(request, name);
    } catch (error) {
      if (error instanceof Refusal) return answerRefusal(error);
      const refusal = refusalOf(error);
      if (refusal.status >= 500) {
        log.error('rest', { method: request.method, table: name, ...failureFields(error) });
      }
      return answerRefusal(refusal);
    }
  }

  return async (request) => {
    const name = tableNameOf(request.path);
    if (request.method === 'OPTIONS') {
      return name !== null && tables.has(name) ? answerOptions(request) : NOT_THERE;
    }
    const response =
      checkAccess(request, publicKey) ?? (name === null ? NOT_THERE : await answerOrRefuse(request, name));
    return {
      ...response,
      headers: { ...response.headers, ...corsHeaders(request) },
      body: request.method === 'HEAD' ? '' : response.body,
    };
  };
}
