import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../http/read-body.ts';
import type { Headers } from '../http/resource.ts';
import { UNFRAMED_HEADERS } from '../http/security-headers.ts';
import { send, sendResource } from '../http/send.ts';
import type { ServerCounts } from '../metrics/metrics.ts';
import type { Release } from '../release/build-release.ts';
import { REST_PREFIX } from '../release/read-key.ts';
import type { Releases } from '../release/releases.ts';
import { corsHeaders } from '../rest/cors.ts';
import { REST_LIMITS, type RestRequest, type RestResponse } from '../rest/exchange.ts';
import type { Gate } from '../rest/gate.ts';
import { readHeaders } from '../rest/read-resource.ts';

/** The sources of the responses to table requests. */
export interface ReadSources {
  readonly gate: Gate;
  readonly releases: Releases<Release>;
  /** Returns the key of a request, by which a release may have the response; null if no release can have it. */
  readonly keyOf: (request: IncomingMessage) => string | null;
  readonly counts: ServerCounts['reads'];
}

export const isTablePath = (path: string) => path === REST_PREFIX || path.startsWith(`${REST_PREFIX}/`);

const CORS = Object.entries(corsHeaders({ origin: '*' })).flat();
const SAME_ORIGIN: readonly string[] = [];

/** Sends the response with this key from a release. Returns false if the release has none. */
function sendReleased(
  { counts }: ReadSources,
  request: IncomingMessage,
  response: ServerResponse,
  key: string,
  { responses, age }: Release,
): boolean {
  const released = responses.get(key);
  if (released === undefined) return false;
  counts[age === null ? 'release' : 'stale'] += 1;
  const extra = request.headers.origin === undefined ? SAME_ORIGIN : CORS;
  sendResource(request, response, released, { age: age?.() ?? null, extra });
  return true;
}

/** Returns the key of a read that the newest release has; null for any other request. */
function releasedKey({ keyOf, releases }: ReadSources, request: IncomingMessage): string | null {
  const key = keyOf(request);
  return key !== null && releases.latest?.responses.has(key) ? key : null;
}

/**
 * Sends the response to a read from the current release. Returns false if the release has none, or if the next release
 * is being built.
 */
export function sendReleasedRead(
  sources: ReadSources,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const key = releasedKey(sources, request);
  if (key === null) return false;
  const release = sources.releases.current();
  return !(release instanceof Promise) && sendReleased(sources, request, response, key, release);
}

/** Sends a response in the format of the table-query gate. Caches may store responses to successful reads only. */
export function sendGated(
  request: IncomingMessage,
  response: ServerResponse,
  gated: RestResponse,
  further: Headers = {},
): void {
  const isRead = (request.method === 'GET' || request.method === 'HEAD') && gated.status < 300;
  const headers = isRead
    ? readHeaders(gated)
    : { ...UNFRAMED_HEADERS, 'Cache-Control': 'no-store', ...gated.headers };
  const cors = corsHeaders({ origin: request.headers.origin });
  send(request, response, gated.status, { ...headers, ...cors, ...further }, gated.body);
}

/**
 * Responds to a request below `/rest/v1` from the release or through the table-query gate. Does nothing if the
 * connection is closed, because the client's address is unknown then and the request could not be counted.
 */
export async function handleTableRequest(
  sources: ReadSources,
  request: IncomingMessage,
  response: ServerResponse,
  { path, query, client }: Pick<RestRequest, 'path' | 'query'> & { readonly client: string | null },
): Promise<void> {
  if (client === null) {
    response.destroy();
    return;
  }
  const key = releasedKey(sources, request);
  if (key !== null && sendReleased(sources, request, response, key, await sources.releases.current())) return;
  const { method = 'GET' } = request;
  const body = method === 'POST' ? await readBody(request, REST_LIMITS.bodyBytes) : new Uint8Array();
  const gated = await sources.gate({
    method,
    path: path.slice(REST_PREFIX.length),
    query,
    // Set-Cookie is the only header that Node gives as a list, and the gate does not read it.
    headers: request.headers as RestRequest['headers'],
    body,
    client,
  });
  sendGated(request, response, gated, body === null ? { Connection: 'close' } : {});
}
