import type { IncomingMessage, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import type { Asked } from '../documents/document.ts';
import { REST_PREFIX } from '../documents/read-key.ts';
import type { Release } from '../documents/release.ts';
import type { Versioned, Versions } from '../documents/versions.ts';
import { clientAddress } from '../http/client-address.ts';
import { readBody } from '../http/read-body.ts';
import type { Headers } from '../http/resource.ts';
import { UNFRAMED_HEADERS } from '../http/security-headers.ts';
import { send, sendResource } from '../http/send.ts';
import type { ServerCounts } from '../metrics/metrics.ts';
import { corsHeaders } from '../rest/cors.ts';
import { REST_LIMITS, type RestRequest, type RestResponse } from '../rest/exchange.ts';
import type { Gate } from '../rest/gate.ts';
import { readHeaders } from '../rest/read.ts';
import { Refusal } from '../rest/refusal.ts';
import { type Route, TOO_MANY } from './routes.ts';

export interface TableOptions {
  readonly gate: Gate;
  readonly releases: Pick<Versions<Release>, 'latest' | 'current'>;
  /** Returns the key of a request, by which a release may have the response; null if no release can have it. */
  readonly keyOf: (request: IncomingMessage) => string | null;
  readonly counts: ServerCounts['reads'];
  /** Proxies whose X-Forwarded-For header is trusted to name the client. */
  readonly trustedProxies?: BlockList | undefined;
}

export const isTablePath = (path: string) => path === REST_PREFIX || path.startsWith(`${REST_PREFIX}/`);

const CORS = Object.entries(corsHeaders({ origin: '*' })).flat();
const SAME_ORIGIN: readonly string[] = [];

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
 * Returns the route of the requests below `/rest/v1`. It responds from the release, or else through the table-query
 * gate. It does nothing if the connection is closed, because the client's address is unknown then and the request could
 * not be counted.
 */
export function tableRoute({ gate, releases, keyOf, counts, trustedProxies }: TableOptions): Route {
  /** Sends the response with this key from a release. Returns false if the release has none. */
  function sendReleased(
    request: IncomingMessage,
    response: ServerResponse,
    key: string,
    { value, age }: Versioned<Release>,
  ): boolean {
    const resource = value.responses.get(key);
    if (resource === undefined) return false;
    counts[age === null ? 'release' : 'stale'] += 1;
    const extra = request.headers.origin === undefined ? SAME_ORIGIN : CORS;
    sendResource(request, response, resource, { age: age?.() ?? null, extra });
    return true;
  }

  async function handleOther(
    request: IncomingMessage,
    response: ServerResponse,
    { path, query }: Asked,
    releasing: { readonly key: string; readonly release: Promise<Versioned<Release>> } | null,
  ): Promise<void> {
    const client = clientAddress(request, trustedProxies);
    if (client === null) {
      response.destroy();
      return;
    }
    if (releasing !== null && sendReleased(request, response, releasing.key, await releasing.release)) return;
    const { method = 'GET' } = request;
    const body = method === 'POST' ? await readBody(request, REST_LIMITS.bodyBytes) : new Uint8Array();
    const gated = await gate({
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

  return {
    path: /^\/rest\/v1(?:\/|$)/,
    hasOwnMethods: true,
    refuse: (request, response) => {
      const refusal = new Refusal(429, 'PT429', TOO_MANY, { headers: { 'Retry-After': '1' } });
      sendGated(request, response, refusal.response);
    },
    handle(request, response, address) {
      const key = keyOf(request);
      if (key === null || !releases.latest?.responses.has(key))
        return handleOther(request, response, address, null);
      const release = releases.current();
      if (release instanceof Promise) return handleOther(request, response, address, { key, release });
      if (!sendReleased(request, response, key, release))
        return handleOther(request, response, address, null);
    },
  };
}
