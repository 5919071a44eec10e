import type { ReadRequest } from '#queries/read-addresses.ts';

/** Answers on their way, by address. */
export type EarlyReads = Map<string, Promise<Response>>;

declare global {
  /** Made by the script within the page, before the page's own is there. */
  var barometerReads: EarlyReads | undefined;
}

/** As long as the table client waits for an answer of its own, until its last character. */
const TIMEOUT_MS = 15_000;

/**
 * Sends reads off; one that fails says so to whoever takes it over, and to nobody else. `base` is the page's address: of
 * another origin a browser asks for leave before each request with headers of its own, so there the key is in the address.
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
      const answer = fetch(isPlain ? `${url}&apikey=${encodeURIComponent(key)}` : url, {
        ...(!isPlain && { headers: { apikey: key, ...headers } }),
        // Answers that a browser kept may be of different minutes.
        cache: 'no-cache',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      answer.catch(() => {});
      return [url, answer];
    }),
  );
}

/** A backend may refuse what the table client would be given: not every one takes a key in an address. */
const isRefused = ({ status }: Response) => status >= 400 && status < 500;

/**
 * A `fetch` that takes each of the early reads over once, by the very address; what is not among them, was taken
 * already, got no answer or was refused is asked for as ever.
 */
export function takeOver(early: EarlyReads | undefined, fetch: typeof globalThis.fetch): typeof fetch {
  return (input, init) => {
    const url = String(input);
    const begun = (init?.method ?? 'GET') === 'GET' ? early?.get(url) : undefined;
    if (begun === undefined) return fetch(input, init);
    early?.delete(url);
    const again = () => fetch(input, init);
    return begun.then((answer) => (isRefused(answer) ? again() : answer), again);
  };
}
