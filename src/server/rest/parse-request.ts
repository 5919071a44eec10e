import { authorisedQuery } from './access.ts';
import { optionsResponse } from './cors.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import type { Table, Tables } from './exposed-tables.ts';
import { type Insert, insertOf } from './insert.ts';
import { type Read, readOf } from './read.ts';
import { permissionDenied, Refusal, unknownTable } from './refusal.ts';

/** A read or an insert to be run in the database, or a response that does not need the database. */
export type ParsedRequest = Read | Insert | { readonly kind: 'response'; readonly response: RestResponse };

/** Returns the table that a path names. Throws `Refusal`. */
function tableOf(tables: Tables, path: string): Table {
  let name: string | undefined;
  try {
    name = decodeURIComponent(/^\/([^/]+)$/.exec(path)?.[1] ?? '');
  } catch {
    // The path is not valid UTF-8, so it does not name a table.
  }
  const table = tables.get(name ?? '');
  if (table !== undefined) return table;
  if (name) throw unknownTable(name, tables.keys());
  throw new Refusal({ status: 404, code: 'PGRST125', message: 'Invalid path specified in request URL' });
}

const unsupportedMethod = (method: string) =>
  new Refusal({ status: 405, code: 'PGRST117', message: `Unsupported HTTP method: ${method}` });

const WRITES = ['PUT', 'PATCH', 'DELETE'];

function parseOn(table: Table, request: RestRequest): ParsedRequest {
  const { method } = request;
  if (method === 'GET' || method === 'HEAD') return readOf(table, request);
  if (method === 'POST') return insertOf(table, request);
  if (WRITES.includes(method)) throw permissionDenied(table.name);
  throw unsupportedMethod(method);
}

/**
 * Parses a request. Has no side effects, and never throws for a wrong request. Without the public key, the response is
 * a 401.
 */
export function parseRequest(
  { tables, publicKey }: { tables: Tables; publicKey: string },
  request: RestRequest,
): ParsedRequest {
  try {
    if (request.method === 'OPTIONS') {
      tableOf(tables, request.path);
      return { kind: 'response', response: optionsResponse(request) };
    }
    const query = authorisedQuery(request, publicKey);
    return parseOn(tableOf(tables, request.path), { ...request, query });
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'response', response: error.response };
    throw error;
  }
}
