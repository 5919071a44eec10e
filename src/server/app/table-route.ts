import type { ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import type { CachedValue } from '../documents/cached-value.ts';
import { REST_PREFIX, type Release, requestKeys } from '../documents/release.ts';
import { clientAddress } from '../http/client-address.ts';
import { corsHeaders } from '../http/open-headers.ts';
import { readBody } from '../http/read-body.ts';
import { type Headers, send, sendResource } from '../http/response.ts';
import { UNFRAMED_HEADERS } from '../http/security-headers.ts';
import type { ServerCounts } from '../metrics/counters.ts';
import { REST_LIMITS, type RestRequest, type RestResponse } from '../rest/exchange.ts';
import type { Gate } from '../rest/gate.ts';
import { headersOfRead } from '../rest/read.ts';
import { Refusal } from '../rest/refusal.ts';
import { type Route, TOO_MANY } from './routes.ts';

interface TableOptions {
  readonly gate: Gate;
  readonly releases: Pick<CachedValue<Release>, 'latest' | 'current'>;
  readonly publicKey: string;
  readonly counts: ServerCounts;
  readonly trustedProxies?: BlockList | undefined;
}

export const isTablePath = (path: string) => path === REST_PREFIX || path.startsWith(`${REST_PREFIX}/`);

const CORS = Object.entries(corsHeaders('*')).flat();

/** Sends a response in the format of the table-query gate. Caches may store responses to successful reads only. */
export function sendGated(response: ServerResponse, gated: RestResponse, further: Headers = {}): void {
  const { headers: asked, method } = response.req;
  const isRead = (method === 'GET' || method === 'HEAD') && gated.status < 300;
  const headers = isRead
    ? headersOfRead(gated)
    : { ...UNFRAMED_HEADERS, 'Cache-Control': 'no-store', ...gated.headers };
  const cors = corsHeaders(asked.origin);
  send(response, gated.status, { ...headers, ...cors, ...further }, gated.body);
}

/** Returns the route below `/rest/v1`, which responds from the release or else through the table-query gate. */
export function tableRoute({ gate, releases, publicKey, counts, trustedProxies }: TableOptions): Route {
  const keyOf = requestKeys(publicKey);
  return {
    path: /^\/rest\/v1(?:\/|$)/,
    hasOwnMethods: true,
    refuse: (response) => {
      const refusal = new Refusal(429, 'PT429', TOO_MANY, { headers: { 'Retry-After': '1' } });
      sendGated(response, refusal.response);
    },
    async handle(request, response, { path, query }) {
      const client = clientAddress(request, trustedProxies);
      const key = keyOf(request);
      if (key !== null && releases.latest?.responses.has(key)) {
        const { value, age } = await releases.current();
        const resource = value.responses.get(key);
        if (resource !== undefined) {
          counts.reads[age === null ? 'release' : 'stale'] += 1;
          const extra = request.headers.origin === undefined ? [] : CORS;
          sendResource(response, resource, { age: age?.() ?? null, extra });
          return;
        }
      }
      // The gate could not count a request of a closed connection for its client.
      if (client === null) {
        response.destroy();
        return;
      }
      const { method = 'GET' } = request;
      const body = method === 'POST' ? await readBody(request, REST_LIMITS.bodyBytes) : new Uint8Array();
      const gated = await gate({
        ...{ method, path: path.slice(REST_PREFIX.length), query, body, client },
        // Set-Cookie is the only header that Node gives as a list, and the gate does not read it.
        headers: request.headers as RestRequest['headers'],
      });
      sendGated(response, gated, body === null ? { Connection: 'close' } : {});
    },
  };
}
