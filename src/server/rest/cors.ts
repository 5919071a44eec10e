import { requestedHeaders } from '../http/open-headers.ts';
import type { RestRequest, RestResponse } from './exchange.ts';

const METHODS = 'GET, POST, OPTIONS, HEAD';
const EXPOSED =
  'Content-Encoding, Content-Profile, Content-Range, Content-Type, Date, Preference-Applied, Age, ETag, Retry-After';
const ALWAYS_ALLOWED = ['Authorization', 'Accept', 'Accept-Language', 'Content-Language'];

/** Lets pages of any origin read a response, because all data are public. Empty for a request without `Origin`. */
export function corsHeaders({ origin }: RestRequest['headers']): Record<string, string> {
  if (origin === undefined) return {};
  return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED };
}

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
