import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReadMetrics } from '../metrics/read-metrics.ts';
import type { Release } from '../release/build-release.ts';
import { REST_PREFIX } from '../release/read-key.ts';
import type { Releases } from '../release/releases.ts';
import { corsHeaders } from '../rest/cors.ts';
import { REST_LIMITS } from '../rest/dialect.ts';
import type { RestRequest } from '../rest/exchange.ts';
import type { ReadAnswer } from '../rest/read-answer.ts';
import { Refusal, refusalResponse } from '../rest/refusal.ts';
import type { ServedGate } from '../rest/served-gate.ts';
import { readBody } from './read-body.ts';
import { type Headers, sendRepresentation } from './representation.ts';
import { COMMON_HEADERS } from './security-headers.ts';
import { send } from './send.ts';

/** The sources of the responses to table reads. */
export interface RestReads {
  readonly gate: ServedGate;
  readonly releases: Releases<Release>;
  /** Returns the key under which a release may have the response to a request; null if it cannot have one. */
  readonly keyOf: (request: IncomingMessage) => string | null;
  readonly metrics: ReadMetrics;
}

/** The headers that decide which answer of two to the same address a client gets. */
const VARY = 'Accept, Accept-Encoding, Accept-Profile, Origin, Prefer, Range';
const PARTIAL = 206;

/** Of these, PostgREST heeds the first alone where they come again. */
const ONCE = ['accept', 'range'] as const;

/**
 * One value a header, names in lower case; repeated ones joined as node joins them, by a comma, but for those that may come
 * once: by a line feed, which no header can hold, so that the gate refuses them.
 */
function singleHeaders({ headers, headersDistinct }: IncomingMessage): RestRequest['headers'] {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  const once = ONCE.map((name) => [name, headersDistinct[name]?.join('\n')]);
  return Object.fromEntries([...entries, ...once]);
}

// The same objects each time: what is sent is laid out once for each.
const SAME_ORIGIN: Headers = COMMON_HEADERS;
const CROSS_ORIGIN: Headers = { ...COMMON_HEADERS, ...corsHeaders({ origin: '*' }) };

/**
 * The headers of a read's answer. A browser or a cache in between may use it for a minute, and for another while it asks
 * for a newer one. Not of a part: what of the rows it has, caches cannot know.
 */
function headersOf({ status, headers }: ReadAnswer): Headers {
  const caching = 'public, max-age=60, stale-while-revalidate=60';
  return { ...headers, 'Cache-Control': status === PARTIAL ? 'no-store' : caching, Vary: VARY };
}

const STALE_SAME_ORIGIN: Headers = { ...SAME_ORIGIN };
const STALE_CROSS_ORIGIN: Headers = { ...CROSS_ORIGIN };

/** The headers of a stale response. No cache may store it, since a cache could not tell when the database is back. */
function staleHeadersOf(answer: ReadAnswer): Headers {
  return { ...headersOf(answer), 'Cache-Control': 'no-store' };
}

function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: ReadAnswer,
  age: number | null,
): void {
  const { status } = answer;
  const isSameOrigin = request.headers.origin === undefined;
  if (age === null) {
    const extraHeaders = isSameOrigin ? SAME_ORIGIN : CROSS_ORIGIN;
    sendRepresentation(request, response, answer, { status, extraHeaders, headersOf });
  } else {
    const extraHeaders = isSameOrigin ? STALE_SAME_ORIGIN : STALE_CROSS_ORIGIN;
    sendRepresentation(request, response, answer, { status, extraHeaders, headersOf: staleHeadersOf, age });
  }
}

/** Sends the response that a release has under a key; returns false if it has none. */
function sendReleased(
  { metrics }: RestReads,
  request: IncomingMessage,
  response: ServerResponse,
  key: string,
  { answers, age }: Release,
): boolean {
  const answer = answers.get(key);
  if (answer === undefined) return false;
  metrics.count(age === null ? 'release' : 'stale');
  sendAnswer(request, response, answer, age?.() ?? null);
  return true;
}

/** Returns the key of a read that the newest release has; null for any other request. */
function releasedKey({ keyOf, releases }: RestReads, request: IncomingMessage): string | null {
  const key = keyOf(request);
  return key !== null && releases.latest?.answers.has(key) ? key : null;
}

/** Sends a read that the current release has; returns false if there is none, or the next release is being built. */
export function sendReleasedAtOnce(
  reads: RestReads,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const key = releasedKey(reads, request);
  if (key === null) return false;
  const release = reads.releases.current();
  return !(release instanceof Promise) && sendReleased(reads, request, response, key, release);
}

/** Refuses a request that one client makes too many of, with the code the database has for that. */
export function refuseRest(request: IncomingMessage, response: ServerResponse, message: string): void {
  const headers = { 'Retry-After': '1' };
  const refused = refusalResponse(new Refusal({ status: 429, code: 'PT429', message, headers }));
  const extraHeaders = request.headers.origin === undefined ? SAME_ORIGIN : CROSS_ORIGIN;
  const all = { ...extraHeaders, 'Cache-Control': 'no-store', ...refused.headers };
  send(request, response, refused.status, all, refused.body);
}

/**
 * Responds to a request below `/rest/v1` from the release or through the gate. Does nothing if the connection is gone:
 * without its address the request would count for no client.
 */
export async function answerRest(
  reads: RestReads,
  request: IncomingMessage,
  response: ServerResponse,
  { path, query, client }: Pick<RestRequest, 'path' | 'query' | 'client'>,
): Promise<void> {
  if (client === null) {
    response.destroy();
    return;
  }
  const key = releasedKey(reads, request);
  if (key !== null && sendReleased(reads, request, response, key, await reads.releases.current())) return;
  const hasBody = request.method === 'POST';
  const body = hasBody ? await readBody(request, REST_LIMITS.bodyBytes) : new Uint8Array();
  const asked = {
    method: request.method ?? 'GET',
    path: path.slice(REST_PREFIX.length),
    query,
    headers: singleHeaders(request),
    body,
    client,
  };
  const answer = await reads.gate(asked);
  if ('tag' in answer) {
    sendAnswer(request, response, answer, null);
    return;
  }
  const headers = {
    ...COMMON_HEADERS,
    'Cache-Control': 'no-store',
    ...answer.headers,
    ...(body === null && { Connection: 'close' }),
  };
  send(request, response, answer.status, headers, answer.body);
}
