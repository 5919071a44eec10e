import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Resource } from './client-files.ts';
import { chooseEncoding } from './encoding.ts';
import { COMMON_HEADERS } from './security-headers.ts';

export type Headers = Readonly<Record<string, string>>;

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
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
  };
  send(request, response, status, { ...plain, ...headers }, `${text}\n`);
}

/** Whether an `If-None-Match` header names the tag. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((item) => {
    const given = item.trim().replace(/^W\//, '');
    return given === '*' || given === tag;
  });
}

/** Sends a resource in the best encoding the client takes, or 304 when it has it. */
export function sendResource(
  request: IncomingMessage,
  response: ServerResponse,
  resource: Resource,
  extraHeaders: Headers,
): void {
  const accepted = chooseEncoding(request.headers['accept-encoding']);
  const encoded = accepted === null ? null : resource[accepted];
  const encoding = encoded === null ? null : accepted;
  const tag = `"${resource.tag}${encoding === null ? '' : `-${encoding}`}"`;
  const headers: Headers = {
    ...extraHeaders,
    ETag: tag,
    'Cache-Control': resource.cacheControl,
    ...((resource.br ?? resource.gzip) !== null && { Vary: 'Accept-Encoding' }),
  };
  if (matchesTag(request.headers['if-none-match'], tag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const described: Headers = {
    ...headers,
    'Content-Type': resource.type,
    ...(encoding !== null && { 'Content-Encoding': encoding }),
  };
  send(request, response, 200, described, encoded ?? resource.content);
}
