import { type Resource, toResource } from '../http/resource.ts';
import { COMMON_HEADERS } from '../http/security-headers.ts';
import type { RestResponse } from './exchange.ts';

/** Request headers that select one of several responses at one address. */
const VARY = 'Accept, Accept-Encoding, Accept-Profile, Origin, Prefer, Range';
const PARTIAL = 206;

/**
 * The response to a read, not compressed. Caches may keep it for a minute, and for another while they revalidate it. They
 * may not keep a part, since they cannot tell which rows it has.
 */
export function readResource({ status, headers, body }: RestResponse): Resource {
  const caching = status === PARTIAL ? 'no-store' : 'public, max-age=60, stale-while-revalidate=60';
  const all = { ...COMMON_HEADERS, ...headers, 'Cache-Control': caching, Vary: VARY };
  return toResource(Buffer.from(body), all, { status });
}
