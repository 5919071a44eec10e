import { LedgerError } from './entries.ts';

/** Maximum length of a file (bytes). The longest bundle of entries is shorter. */
const LONGEST_FILE = 256 * 65_537;
const TIMEOUT_MS = 30_000;
/** Number of requests for a file of a busy site, and the longest wait between two (seconds). */
const ATTEMPTS = 5;
const LONGEST_WAIT = 5;

/** Returns the address of a site, without a slash at its end, from that address or the address of its ledger. Null for other texts. */
export function siteOf(url: string): string | null {
  const site = URL.canParse(url) ? new URL(url) : null;
  if (site === null || !/^https?:$/.test(site.protocol)) return null;
  return `${site.origin}${site.pathname.replace(/\/+$/, '').replace(/\/ledger$/, '')}`;
}

/** Reads a body. Throws LedgerError if it is longer than `most` bytes. */
export async function readLimited(response: Response, address: string, most = LONGEST_FILE): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > most) throw new LedgerError(`${address} is longer than any file of a ledger.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Returns a `fetch` that repeats a request after a 429 or 503, at most five times, after its `Retry-After` or a second. */
export function withRetries(fetch: typeof globalThis.fetch, wait: (ms: number) => Promise<unknown>) {
  return async (...request: Parameters<typeof fetch>): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(...request);
      if (attempt === ATTEMPTS || (response.status !== 503 && response.status !== 429)) return response;
      await response.body?.cancel();
      const seconds = Number(response.headers.get('retry-after')) || 1;
      await wait(1000 * Math.min(seconds, LONGEST_WAIT));
    }
  };
}

/** Downloads a file. Throws LedgerError if the site does not have it, or if it is too long. */
export async function download(
  address: string,
  fetch: typeof globalThis.fetch,
  headers: Readonly<Record<string, string>> = {},
): Promise<Buffer> {
  try {
    const response = await fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return await readLimited(response, address);
    await response.body?.cancel();
    throw new LedgerError(`${address} responds ${response.status}, so the ledger cannot be verified.`);
  } catch (error) {
    if (error instanceof LedgerError) throw error;
    throw new LedgerError(`${address} cannot be read. Check the address and the connection.`, {
      cause: error,
    });
  }
}
