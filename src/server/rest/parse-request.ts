import { bearerToken } from '../public-key.ts';
import { optionsResponse } from './cors.ts';
import type { RestRequest, RestResponse } from './exchange.ts';
import type { Table, Tables } from './exposed-tables.ts';
import { type Insert, insertOf } from './insert.ts';
import { type Read, readOf } from './read.ts';
import { excerpt, permissionDenied, Refusal } from './refusal.ts';

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
  if (!name) throw new Refusal(404, 'PGRST125', 'Invalid path specified in request URL');
  throw new Refusal(404, 'PGRST205', `Could not find the table 'public.${excerpt(name)}'`, {
    hint: `The tables are ${[...tables.keys()].join(', ')}.`,
  });
}

const KEY_PARAMETERS = /(?:^|&)apikey=([^&]*)/g;

/**
 * Returns the query without its keys, with which a page of another origin needs no preflight request. Throws `Refusal`
 * (401) as a hosted project does, unless there is a key, and each key and the bearer token are the public key.
 */
function authorisedQuery(
  { query, headers: { apikey, authorization } }: RestRequest,
  publicKey: string,
): string {
  const inQuery = [...query.matchAll(KEY_PARAMETERS)].map(([, key]) => key);
  const keys = [...inQuery, apikey, bearerToken(authorization)].filter((key) => key !== undefined);
  if (keys.length === 0)
    throw new Refusal(401, null, 'No API key found in request', {
      hint: 'No `apikey` request header or url param was found.',
    });
  if (keys.some((key) => key !== publicKey))
    throw new Refusal(401, null, 'Invalid API key', {
      hint: 'Double check your Supabase `anon` or `service_role` API key.',
    });
  return inQuery.length === 0 ? query : query.replace(KEY_PARAMETERS, '');
}

function parseOn(table: Table, request: RestRequest): ParsedRequest {
  const { method } = request;
  if (method === 'GET' || method === 'HEAD') return readOf(table, request);
  if (method === 'POST') return insertOf(table, request);
  if (['PUT', 'PATCH', 'DELETE'].includes(method)) throw permissionDenied(table.name);
  throw new Refusal(405, 'PGRST117', `Unsupported HTTP method: ${method}`);
}

/** Parses a request. Has no side effects, and never throws for a wrong request. */
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
