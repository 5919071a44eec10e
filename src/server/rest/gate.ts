import type { Database } from '#database/port.ts';
import { optionsResponse } from '../http/open-headers.ts';
import type { Log } from '../log.ts';
import type { ServerCounts } from '../metrics/counters.ts';
import { bearerToken } from '../public-key.ts';
import { createQueue, TooManyWaiting } from '../queue.ts';
import type { Operation, RestRequest, RestResponse } from './exchange.ts';
import type { Table, Tables } from './exposed-tables.ts';
import { insertOf } from './insert.ts';
import { readOf } from './read.ts';
import { excerpt, logFailure, permissionDenied, Refusal, refusalOf } from './refusal.ts';

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

function parseOn(table: Table, request: RestRequest): Operation {
  const { method } = request;
  if (method === 'GET' || method === 'HEAD') return readOf(table, request);
  if (method === 'POST') return insertOf(table, request);
  if (['PUT', 'PATCH', 'DELETE'].includes(method)) throw permissionDenied(table.name);
  throw new Refusal(405, 'PGRST117', `Unsupported HTTP method: ${method}`);
}

/** Parses a request, or responds without the database. Has no side effects, and never throws for a wrong request. */
export function parseRequest(
  { tables, publicKey }: { tables: Tables; publicKey: string },
  request: RestRequest,
): Operation | RestResponse {
  try {
    if (request.method === 'OPTIONS') {
      tableOf(tables, request.path);
      return optionsResponse(request.headers);
    }
    const query = authorisedQuery(request, publicKey);
    return parseOn(tableOf(tables, request.path), { ...request, query });
  } catch (error) {
    if (error instanceof Refusal) return error.response;
    throw error;
  }
}

interface GateOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly publicKey: string;
  readonly counts: ServerCounts;
  readonly log: Log;
  /** Maximum time that a client waits for the database (ms); 5,000 by default. */
  readonly waitMs?: number | undefined;
}

/** Responds to any request, without CORS headers. HEAD gets the body of GET, which the caller removes. Never rejects. */
export type Gate = (request: RestRequest) => Promise<RestResponse>;

/** Limits of reads and of inserts. Up to 256 of each wait. They leave some connections to jobs and health checks. */
export const QUEUES = { reads: { atOnce: 5, most: 261 }, inserts: { atOnce: 2, most: 258 } } as const;

/** Resolves with the result of the promise, or rejects with TooManyWaiting after `ms`. The work continues in both cases. */
function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TooManyWaiting()), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Creates the table-query gate: the part of PostgREST's dialect that the product uses, as the role `anon`. */
export function createGate(options: GateOptions): Gate {
  const { database, log, counts, waitMs = 5_000 } = options;
  const queueRead = createQueue({ ...QUEUES.reads, waitMs });
  const queueInsert = createQueue({ ...QUEUES.inserts, waitMs });

  /** Also logs a failure that happens after the client has stopped waiting. */
  async function execute({ run, table }: Operation, method: string, leftMs: number): Promise<RestResponse> {
    try {
      return await run(database, leftMs);
    } catch (error) {
      logFailure(log, { method, table }, error);
      throw error;
    }
  }

  return async (request) => {
    const parsed = parseRequest(options, request);
    if ('status' in parsed) return parsed;
    const run = (leftMs: number) => execute(parsed, request.method, leftMs);
    try {
      // Postgres itself ends an insert that takes too long. An earlier 503 would hide that rows may be stored.
      if (parsed.kind === 'insert') return await queueInsert(request.client, run);
      const response = await withinTime(queueRead(request.client, run), waitMs);
      counts.reads.database += 1;
      return response;
    } catch (error) {
      const refusal = refusalOf(error);
      if (parsed.kind === 'read' && refusal.status === 503) counts.reads.refused += 1;
      return refusal.response;
    }
  };
}
