import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Resource } from './client-files.ts';
import { type Headers, sendRepresentation } from './representation.ts';
import { COMMON_HEADERS, NOTHING } from './security-headers.ts';

/** Sends a whole answer; HEAD gets its headers only. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Headers,
  body: string | Buffer,
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, { ...headers, 'Content-Length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/** Sends one plain sentence. */
export function sendText(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  text: string,
  headers: Headers = {},
): void {
  const plain = {
    ...COMMON_HEADERS,
    'Content-Security-Policy': NOTHING,
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
  };
  send(request, response, status, { ...plain, ...headers }, `${text}\n`);
}

function headersOf({ type, cacheControl, br, gzip }: Resource): Headers {
  const vary = (br ?? gzip) !== null && { Vary: 'Accept-Encoding' };
  return { 'Cache-Control': cacheControl, ...vary, 'Content-Type': type };
}

/**
 * Sends a resource in the best encoding the client takes, or 304 when it has it. `extraHeaders` are to be one object for
 * all requests. `age` (seconds) is given of a stale resource only.
 */
export function sendResource(
  request: IncomingMessage,
  response: ServerResponse,
  resource: Resource,
  extraHeaders: Headers,
  age: number | null = null,
): void {
  sendRepresentation(request, response, resource, { extraHeaders, headersOf, age });
}
