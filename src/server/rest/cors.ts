import type { RestRequest, RestResponse } from './exchange.ts';

const METHODS = 'GET, POST, OPTIONS, HEAD';
const EXPOSED =
  'Content-Encoding, Content-Profile, Content-Range, Content-Type, Date, Preference-Applied, Age, ETag, Retry-After';
const ALWAYS_ALLOWED = ['Authorization', 'Accept', 'Accept-Language', 'Content-Language'];
const HEADER_NAME = /^[a-z0-9-]{1,64}$/i;
const MOST_HEADERS = 30;

/**
 * The headers that let pages of any origin read a response: all of it is public, and the gate uses no cookies. None for
 * a request without an origin.
 */
export function corsHeaders({ origin }: RestRequest['headers']): Record<string, string> {
  if (origin === undefined) return {};
  return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED };
}

/** The response to `OPTIONS` on a table, preflight or not. */
export function optionsResponse({ headers: asked }: RestRequest): RestResponse {
  if (asked['access-control-request-method'] === undefined) {
    const headers = { 'Access-Control-Allow-Origin': '*', Allow: METHODS.replaceAll(' ', '') };
    return { status: 200, headers, body: '' };
  }
  const requested = (asked['access-control-request-headers'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => HEADER_NAME.test(name))
    .slice(0, MOST_HEADERS);
  const [first = '', ...rest] = ALWAYS_ALLOWED;
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': [first, ...requested, ...rest].join(', '),
    'Access-Control-Max-Age': '86400',
  };
  return { status: 200, headers, body: '' };
}
