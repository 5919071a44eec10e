import { LedgerError } from './entries.ts';

/** Maximum length of a file (bytes). The longest bundle of entries is shorter. */
const LONGEST_FILE = 256 * 65_537;
const TIMEOUT_MS = 30_000;

/** Returns the address of a site, without a slash at its end, from that address or the address of its ledger. */
export function siteOf(url: string): string {
  const site = URL.canParse(url) ? new URL(url) : null;
  if (site === null || !/^https?:$/.test(site.protocol)) {
    throw new LedgerError(`"${url}" is no web address: give one such as https://example.com.`);
  }
  return `${site.origin}${site.pathname.replace(/\/+$/, '').replace(/\/ledger$/, '')}`;
}

async function readLimited(response: Response, address: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > LONGEST_FILE) throw new LedgerError(`${address} is longer than any file of a ledger.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
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
