import { checkAccess, takeKeys } from './access.ts';
import { type Address, readAddress } from './address.ts';
import { answerOptions, corsHeaders } from './cors.ts';
import type { RowRange } from './dialect.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import { type Insert, parseInsert } from './insert.ts';
import { valuesOf } from './query-string.ts';
import { readRange } from './range.ts';
import { parseRead, type Read } from './read.ts';
import { knownTable, permissionDenied, Refusal } from './refusal.ts';
import type { Table, Tables } from './tables.ts';

/** What a request asks for: a read, an insert, or what can be answered without the database. */
export type Understood =
  | { readonly kind: 'answer'; readonly response: RestResponse }
  | { readonly kind: 'read'; readonly read: Read }
  | { readonly kind: 'insert'; readonly insert: Insert };

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };
const NOT_THERE: RestResponse = { status: 404, headers: JSON_TYPE, body: '{}' };

/** A refusal as it goes out. */
export function answerRefusal({ status, code, details, hint, message, headers }: Refusal): RestResponse {
  const body = JSON.stringify({ code, details, hint, message });
  return { status, headers: { ...JSON_TYPE, ...headers }, body };
}

/** An answer as this request gets it: readable for other origins where it comes from one, without its body for HEAD. */
export function addressed(request: RestRequest, response: RestResponse): RestResponse {
  const headers = { ...response.headers, ...corsHeaders(request.headers) };
  return { ...response, headers, body: request.method === 'HEAD' ? '' : response.body };
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

function rangeOf({ parameters }: Address, { method, headers }: RestRequest): RowRange {
  return readRange({
    limit: valuesOf(parameters, 'limit').at(-1),
    offset: valuesOf(parameters, 'offset').at(-1),
    // PostgREST heeds a Range header for GET only.
    header: method === 'GET' ? headers.range : undefined,
  });
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

function understandOn(tables: Tables, name: string, request: RestRequest): Understood {
  const { method } = request;
  checkMethod(method);
  const isRead = method === 'GET' || method === 'HEAD';
  const address = isRead || method === 'POST' ? readAddress(request.query) : null;
  const profile = checkProfile(request);
  const named = tables.get(name) ?? name;
  if (address === null) return refuseWrite(method, knownTable(named));
  const asked = { ...address, range: rangeOf(address, request) };
  if (isRead) {
    const read = parseRead(named, request, asked);
    return { kind: 'read', read: { ...read, headers: { ...read.headers, ...profile } } };
  }
  const insert = parseInsert(named, request, asked);
  return insert === null ? { kind: 'answer', response: NOT_THERE } : { kind: 'insert', insert };
}

/** What a request asks for. Pure. A refusal is an answer, and who lacks the public key gets nothing else. */
export function understand(
  { tables, publicKey }: { tables: Tables; publicKey: string },
  received: RestRequest,
): Understood {
  const { keys, request } = takeKeys(received);
  const name = tableNameOf(request.path);
  if (request.method === 'OPTIONS') {
    const isTable = name !== null && tables.has(name);
    return { kind: 'answer', response: isTable ? answerOptions(request) : NOT_THERE };
  }
  const refused = checkAccess(request, publicKey, keys) ?? (name === null ? NOT_THERE : null);
  if (refused !== null || name === null) return { kind: 'answer', response: refused ?? NOT_THERE };
  try {
    return understandOn(tables, name, request);
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'answer', response: answerRefusal(error) };
    throw error;
  }
}
