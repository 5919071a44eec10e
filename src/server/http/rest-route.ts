import type { IncomingMessage, ServerResponse } from 'node:http';
import { corsHeaders } from '../rest/cors.ts';
import { REST_LIMITS } from '../rest/dialect.ts';
import type { RestRequest } from '../rest/exchange.ts';
import type { ReadAnswer } from '../rest/read-answer.ts';
import { Refusal } from '../rest/refusal.ts';
import type { ServedGate } from '../rest/served-gate.ts';
import { answerRefusal } from '../rest/understand.ts';
import { readBody } from './read-body.ts';
import { type Headers, sendRepresentation } from './representation.ts';
import { COMMON_HEADERS } from './security-headers.ts';
import { send } from './send.ts';

export const REST_PREFIX = '/rest/v1';

/** The headers of a request that decide what a read answers, whether it is answered at all included. */
const DECIDING = ['accept', 'accept-profile', 'prefer', 'range', 'apikey', 'authorization'] as const;
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

/**
 * All of a GET that decides its answer, as it came: two requests with the same words get the same. Null for other methods,
 * and for several types, which may have come in several headers. No address and no header can hold a line feed or a carriage
 * return, which keep the words, and those that are not there, apart.
 */
function wordsOf({ method, url, headers }: IncomingMessage): string | null {
  if (method !== 'GET' || headers.accept?.includes(',')) return null;
  let words = url ?? '';
  for (const name of DECIDING) words += `\n${headers[name] ?? '\r'}`;
  return words;
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

/** Answers a read that was asked in the same words before and is current, at once; answers whether it could. */
export function answerRestAtOnce(
  gate: ServedGate,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const words = wordsOf(request);
  const answer = words === null ? null : gate.hit(words);
  if (answer === null) return false;
  sendAnswer(request, response, answer, null);
  return true;
}

/** Refuses a request that one client makes too many of, with the code the database has for that. */
export function refuseRest(request: IncomingMessage, response: ServerResponse, message: string): void {
  const headers = { 'Retry-After': '1' };
  const refused = answerRefusal(new Refusal({ status: 429, code: 'PT429', message, headers }));
  const extraHeaders = request.headers.origin === undefined ? SAME_ORIGIN : CROSS_ORIGIN;
  const all = { ...extraHeaders, 'Cache-Control': 'no-store', ...refused.headers };
  send(request, response, refused.status, all, refused.body);
}

/**
 * Hands a request below `/rest/v1` to the gate and sends what it answers. Whose connection is gone by now, so that nobody
 * can say who asks, gets nothing done: it would be counted for nobody.
 */
export async function answerRest(
  gate: ServedGate,
  request: IncomingMessage,
  response: ServerResponse,
  { path, query, client }: Pick<RestRequest, 'path' | 'query' | 'client'>,
): Promise<void> {
  if (client === null) {
    response.destroy();
    return;
  }
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
  const answer = await gate.answer(asked, wordsOf(request));
  if ('answer' in answer) {
    sendAnswer(request, response, answer.answer, answer.age);
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
