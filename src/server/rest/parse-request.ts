import { checkAccess, takeKeys } from './access.ts';
import { optionsResponse } from './cors.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import { type Insert, insertOf } from './insert.ts';
import { type Read, readOf } from './read.ts';
import { permissionDenied, Refusal, refusalResponse, unknownTable } from './refusal.ts';
import { parseProfile } from './request-headers.ts';
import type { Table, Tables } from './tables.ts';

/** A read or an insert for the database, or a response that needs none. */
export type ParsedRequest =
  | { readonly kind: 'response'; readonly response: RestResponse }
  | { readonly kind: 'read'; readonly read: Read }
  | { readonly kind: 'insert'; readonly insert: Insert };

/** The table of a path. Throws `Refusal`. */
function tableOf(tables: Tables, path: string): Table {
  let name: string | undefined;
  try {
    name = decodeURIComponent(/^\/([^/]+)$/.exec(path)?.[1] ?? '');
  } catch {
    // No text, so no name.
  }
  const table = tables.get(name ?? '');
  if (table !== undefined) return table;
  if (name) throw unknownTable(name, tables.keys());
  throw new Refusal({ status: 404, code: 'PGRST125', message: 'Invalid path specified in request URL' });
}

const WRITES = ['PUT', 'PATCH', 'DELETE'];

function parseOn(table: Table, request: RestRequest): ParsedRequest {
  const { method, headers } = request;
  if (WRITES.includes(method)) throw permissionDenied(table.name);
  if (method === 'POST') {
    parseProfile(headers['content-profile']);
    return { kind: 'insert', insert: insertOf(table, request) };
  }
  if (method === 'GET' || method === 'HEAD') {
    const profile = parseProfile(headers['accept-profile']);
    const read = readOf(table, request);
    return { kind: 'read', read: { ...read, headers: { ...read.headers, ...profile } } };
  }
  const message = `Unsupported HTTP method: ${method}`;
  throw new Refusal({ status: 405, code: 'PGRST117', message });
}

/** Parses a request. Pure; never throws for a wrong request. Without the public key the response is a 401. */
export function parseRequest(
  { tables, publicKey }: { tables: Tables; publicKey: string },
  received: RestRequest,
): ParsedRequest {
  const { keys, request } = takeKeys(received);
  try {
    if (request.method === 'OPTIONS') {
      tableOf(tables, request.path);
      return { kind: 'response', response: optionsResponse(request) };
    }
    const denied = checkAccess(request, publicKey, keys);
    if (denied !== null) return { kind: 'response', response: denied };
    return parseOn(tableOf(tables, request.path), request);
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'response', response: refusalResponse(error) };
    throw error;
  }
}
