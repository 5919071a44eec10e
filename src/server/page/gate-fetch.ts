import { REST_PREFIX } from '../http/rest-route.ts';
import type { Gate } from '../rest/gate.ts';

/** Statuses whose answers have no body. */
const EMPTY = new Set([204, 205, 304]);

/** Rejects when the signal says that nobody waits any longer. */
export function givenUp(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** A `fetch` that asks the gate in this process, as a browser would over the network. */
export function gateFetch(gate: Gate): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const answer = gate({
      method: request.method,
      path: pathname.slice(REST_PREFIX.length),
      query: search.slice(1),
      headers: Object.fromEntries(request.headers),
      body: new Uint8Array(await request.arrayBuffer()),
      client: null,
    });
    const { status, headers, body } = await Promise.race([answer, givenUp(request.signal)]);
    return new Response(EMPTY.has(status) ? null : body, { status, headers });
  };
}
