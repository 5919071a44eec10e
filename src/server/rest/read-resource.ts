import { type Headers, type Resource, toResource } from '../http/resource.ts';
import { COMMON_HEADERS } from '../http/security-headers.ts';
import type { RestResponse } from './exchange.ts';

/** Request headers that select one of several responses at one address. */
const VARY = 'Accept, Accept-Encoding, Accept-Profile, Origin, Prefer, Range';
const PARTIAL = 206;

/**
 * The headers of the response to a read. Caches may keep it for a minute, and for another while they revalidate it. They
 * may not keep a part, since they do not know its rows.
 */
export function readHeaders({ status, headers }: RestResponse): Headers {
  const caching = status === PARTIAL ? 'no-store' : 'public, max-age=60, stale-while-revalidate=60';
  return { ...COMMON_HEADERS, ...headers, 'Cache-Control': caching, Vary: VARY };
}

/** The response to a read for many clients, not compressed. */
export function readResource(response: RestResponse): Resource {
  return toResource(Buffer.from(response.body), readHeaders(response), { status: response.status });
}
