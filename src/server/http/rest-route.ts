import type { IncomingMessage, ServerResponse } from 'node:http';
import { REST_LIMITS } from '../rest/dialect.ts';
import type { RestRequest } from '../rest/exchange.ts';
import type { Gate } from '../rest/gate.ts';
import { readBody } from './read-body.ts';
import { COMMON_HEADERS } from './security-headers.ts';
import { send } from './send.ts';

export const REST_PREFIX = '/rest/v1';

/** One value a header, names in lower case; repeated ones joined as node joins them, by a comma. */
function singleHeaders(headers: IncomingMessage['headers']): RestRequest['headers'] {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return Object.fromEntries(entries);
}

/**
 * Hands a request below `/rest/v1` to the gate and sends what it answers. Whose connection is gone by now, so that nobody
 * can say who asks, gets nothing done: it would be counted for nobody.
 */
export async function answerRest(
  gate: Gate,
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
  const answer = await gate({
    method: request.method ?? 'GET',
    path: path.slice(REST_PREFIX.length),
    query,
    headers: singleHeaders(request.headers),
    body,
    client,
  });
  const headers = {
    ...COMMON_HEADERS,
    'Cache-Control': 'no-store',
    ...answer.headers,
    ...(body === null && { Connection: 'close' }),
  };
  send(request, response, answer.status, headers, answer.body);
}
