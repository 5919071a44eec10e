import type { IncomingHttpHeaders } from 'node:http';
import type { DataState } from '#views/outputs/data-state.ts';
import type { Headers } from './response.ts';
import { COMMON_HEADERS, NOTHING } from './security-headers.ts';

/** Names of the headers for the age and the origin of the data, by the field of the state. */
export const STATE_HEADERS = {
  as_of: 'Data-As-Of',
  sessions_behind: 'Data-Sessions-Behind',
  next_due: 'Data-Next-Due',
  source: 'Data-Source',
  formula_version: 'Data-Formula-Version',
} as const satisfies Record<keyof DataState, string>;

/** Headers that let pages of any site read a response, including the headers about the data. */
export const OPEN_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': ['Age', 'ETag', ...Object.values(STATE_HEADERS)].join(', '),
  'Cross-Origin-Resource-Policy': 'cross-origin',
} as const;

/** Headers of an output, except of the card, which is a page. */
export const OUTPUT_HEADERS = {
  ...COMMON_HEADERS,
  ...OPEN_HEADERS,
  'Cache-Control': 'public, max-age=60',
  'Content-Security-Policy': NOTHING,
} as const;

/** Returns the headers for a state of the data. An unknown field has no header. */
export function stateHeaders(state: DataState): Headers {
  const names = Object.keys(STATE_HEADERS) as (keyof DataState)[];
  return Object.fromEntries(
    names.flatMap((name) => (state[name] === null ? [] : [[STATE_HEADERS[name], String(state[name])]])),
  );
}

const HEADER_NAME = /^[\w-]{1,64}$/;
const MOST_HEADERS = 30;

const requestedHeaders = (header = ''): string[] =>
  header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => HEADER_NAME.test(name))
    .slice(0, MOST_HEADERS);

const OUTPUT_METHODS = 'GET, HEAD, OPTIONS';

/** Returns the headers of a response to OPTIONS. Pages of any site may send any headers to an output. */
export function preflightHeaders(requested: string | undefined): Headers {
  const names = requestedHeaders(requested).join(', ');
  return {
    ...{
      ...COMMON_HEADERS,
      'Cache-Control': 'no-store',
      'Content-Security-Policy': NOTHING,
      Allow: OUTPUT_METHODS,
    },
    ...{ 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Methods': OUTPUT_METHODS },
    'Access-Control-Max-Age': '86400',
    ...(names !== '' && { 'Access-Control-Allow-Headers': names, Vary: 'Access-Control-Request-Headers' }),
  };
}

const TABLE_METHODS = 'GET, POST, OPTIONS, HEAD';
const EXPOSED_OF_TABLES =
  'Content-Encoding, Content-Profile, Content-Range, Content-Type, Date, Preference-Applied, Age, ETag, Retry-After';
const ALWAYS_ALLOWED = ['Authorization', 'Accept', 'Accept-Language', 'Content-Language'];

/** Lets pages of any origin read rows, because all data are public. Empty for a request without `Origin`. */
export function corsHeaders(origin: string | undefined): Headers {
  if (origin === undefined) return {};
  return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED_OF_TABLES };
}

/** Returns the response to OPTIONS of a table, as PostgREST sends it. */
export function optionsResponse(asked: IncomingHttpHeaders) {
  if (asked['access-control-request-method'] === undefined) {
    const headers = { 'Access-Control-Allow-Origin': '*', Allow: TABLE_METHODS.replaceAll(' ', '') };
    return { status: 200, headers, body: '' };
  }
  const requested = requestedHeaders(asked['access-control-request-headers']);
  const [first = '', ...rest] = ALWAYS_ALLOWED;
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': TABLE_METHODS,
    'Access-Control-Allow-Headers': [first, ...requested, ...rest].join(', '),
    'Access-Control-Max-Age': '86400',
  };
  return { status: 200, headers, body: '' };
}
