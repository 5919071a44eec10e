import type { RestRequest, RestResponse } from './exchange.ts';

const METHODS = 'GET, POST, OPTIONS, HEAD';
const EXPOSED =
  'Content-Encoding, Content-Profile, Content-Range, Content-Type, Date, Preference-Applied, Age, ETag, Retry-After';
const ALWAYS_ALLOWED = ['Authorization', 'Accept', 'Accept-Language', 'Content-Language'];
const HEADER_NAME = /^[a-z0-9-]{1,64}$/i;
const MOST_HEADERS = 30;

/** Returns the names in Access-Control-Request-Headers that a response may repeat. */
export const requestedHeaders = (header = ''): string[] =>
  header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => HEADER_NAME.test(name))
    .slice(0, MOST_HEADERS);

/**
 * Returns the headers that let pages of any origin read a response. This is safe, because all data are public and the
 * table-query gate uses no cookies. Returns no headers for a request without an `Origin` header.
 */
export function corsHeaders({ origin }: RestRequest['headers']): Record<string, string> {
  if (origin === undefined) return {};
  return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED };
}

/** Responds to an `OPTIONS` request for a table, which may be a preflight request. */
export function optionsResponse({ headers: asked }: Pick<RestRequest, 'headers'>): RestResponse {
  if (asked['access-control-request-method'] === undefined) {
    const headers = { 'Access-Control-Allow-Origin': '*', Allow: METHODS.replaceAll(' ', '') };
    return { status: 200, headers, body: '' };
  }
  const requested = requestedHeaders(asked['access-control-request-headers']);
  const [first = '', ...rest] = ALWAYS_ALLOWED;
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': [first, ...requested, ...rest].join(', '),
    'Access-Control-Max-Age': '86400',
  };
  return { status: 200, headers, body: '' };
}
