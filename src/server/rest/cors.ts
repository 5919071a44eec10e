import type { RestRequest, RestResponse } from './exchange.ts';

const METHODS = 'GET, POST, OPTIONS, HEAD';
// PostgREST's, and ours after them.
const EXPOSED =
  'Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, Transfer-Encoding, Range-Unit, Age, ETag, Retry-After';
const ALWAYS_ALLOWED = ['Authorization', 'Accept', 'Accept-Language', 'Content-Language'];
const HEADER_NAME = /^[a-z0-9-]{1,64}$/i;
const MOST_HEADERS = 30;

/**
 * Lets pages of any origin use the gate, as PostgREST does: what it answers is public, and no cookie is
 * ever looked at. Nothing is added for requests without an origin.
 */
export function corsHeaders({ origin }: RestRequest['headers']): Record<string, string> {
  if (origin === undefined) return {};
  return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED };
}

/** The answer to `OPTIONS` on a table, a preflight or not. */
export function answerOptions(request: RestRequest): RestResponse {
  if (request.headers['access-control-request-method'] === undefined) {
    const headers = { 'Access-Control-Allow-Origin': '*', Allow: METHODS.replaceAll(' ', '') };
    return { status: 200, headers, body: '' };
  }
  const asked = (request.headers['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => HEADER_NAME.test(name))
    .slice(0, MOST_HEADERS);
  const [first = '', ...rest] = ALWAYS_ALLOWED;
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': [first, ...asked, ...rest].join(', '),
    'Access-Control-Max-Age': '86400',
  };
  return { status: 200, headers, body: '' };
}
