import { type Headers, type Resource, toResource } from '../http/resource.ts';
import { UNFRAMED_HEADERS } from '../http/security-headers.ts';
import type { RestResponse } from './exchange.ts';

/** Request headers that may change the response at one address. */
const VARY = 'Accept, Accept-Encoding, Accept-Profile, Origin, Prefer, Range';
const PARTIAL = 206;

/**
 * Returns the headers of a response to a read. Caches may store a complete response for a minute, and may use it for
 * another minute while they revalidate it. They must not store a partial response.
 */
export function readHeaders({ status, headers }: RestResponse): Headers {
  const caching = status === PARTIAL ? 'no-store' : 'public, max-age=60, stale-while-revalidate=60';
  return { ...UNFRAMED_HEADERS, ...headers, 'Cache-Control': caching, Vary: VARY };
}

/** Creates a resource from the response to a read. It is not compressed. */
export function readResource(response: RestResponse): Resource {
  return toResource(Buffer.from(response.body), readHeaders(response), { status: response.status });
}
