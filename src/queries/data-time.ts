type Fetch = typeof globalThis.fetch;

const SECONDS = /^\d{1,9}$/;

/**
 * Records the time of the data in each response, which PostgREST's client does not expose: the time of the request less
 * the response's `Age`. A response with an `Age` and `no-store` is stale: a Barometer server sends it while its
 * database is unavailable. Any other `Age` comes from a cache in between.
 */
function trackDataAge(fetch: Fetch, now: () => number) {
  let at = now();
  let count = 0;
  let stale = 0;
  const noting: Fetch = async (input, init) => {
    const requestedAt = now();
    const response = await fetch(input, init);
    const age = SECONDS.exec(response.headers.get('age') ?? '')?.[0] ?? null;
    at = Math.min(at, requestedAt - Number(age ?? 0) * 1000);
    count += 1;
    if (age !== null && response.headers.get('cache-control')?.includes('no-store')) stale += 1;
    return response;
  };
  return {
    fetch: noting,
    /** The earliest time of the responses (epoch ms). `isStale` if one is stale: the database of its server was unavailable. */
    time: () => ({ at, isStale: stale > 0 }),
    isMixed: () => stale > 0 && stale < count,
  };
}

/**
 * Runs reads that share a `fetch`, and adds the time of their data to the result. Runs them once more if only some
 * responses are stale, because rows must belong together.
 */
export async function readWithTime<Result extends object>(
  fetch: Fetch,
  now: () => number,
  read: (fetch: Fetch) => Promise<Result>,
) {
  const first = trackDataAge(fetch, now);
  const result = await read(first.fetch);
  if (!first.isMixed()) return { ...result, ...first.time() };
  const second = trackDataAge(fetch, now);
  return { ...(await read(second.fetch)), ...second.time() };
}
