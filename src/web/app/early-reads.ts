import type { ReadRequest } from '#queries/read-addresses.ts';

export type EarlyReads = Map<string, Promise<Response>>;

declare global {
  /** Set by the inline script, before the page's own script runs. */
  var barometerReads: EarlyReads | undefined;
}

/** The table client's own time limit for a whole response. */
const TIMEOUT_MS = 15_000;

/**
 * Sends reads. A failed read rejects for its consumer only and is never unhandled. `base` is the page's address. A
 * request to another origin with custom headers needs a preflight, so there the key goes into the address.
 */
export function beginReads(
  fetch: typeof globalThis.fetch,
  base: string,
  key: string,
  requests: ReadRequest[],
): EarlyReads {
  return new Map(
    requests.map(({ url, headers }) => {
      const isPlain = headers === undefined && new URL(url).origin !== new URL(base).origin;
      const response = fetch(isPlain ? `${url}&apikey=${encodeURIComponent(key)}` : url, {
        ...(!isPlain && { headers: { apikey: key, ...headers } }),
        // Revalidates, because cached responses may be from different minutes.
        cache: 'no-cache',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      response.catch(() => {});
      return [url, response];
    }),
  );
}

/** A backend may refuse an early read that the table client could make, because some accept no key in the address. */
const isRefused = ({ status }: Response) => status >= 400 && status < 500;

/** A `fetch` that uses each early read once, by its exact address, and repeats one that failed or was refused. */
export function takeOver(early: EarlyReads | undefined, fetch: typeof globalThis.fetch): typeof fetch {
  return (input, init) => {
    const url = String(input);
    const begun = (init?.method ?? 'GET') === 'GET' ? early?.get(url) : undefined;
    if (begun === undefined) return fetch(input, init);
    early?.delete(url);
    const again = () => fetch(input, init);
    return begun.then((response) => (isRefused(response) ? again() : response), again);
  };
}
