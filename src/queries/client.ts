import { PostgrestClient } from '@supabase/postgrest-js';
import { QueryError } from './errors.ts';

export type TableClient = PostgrestClient;

/** Where the tables are: injected by our own server, or the `VITE_` values of a static build. */
export interface TableClientOptions {
  supabaseUrl: string | null | undefined;
  anonKey: string | null | undefined;
  /** Bound to the gate in process by the server; the browser's own otherwise. */
  fetch?: typeof globalThis.fetch;
}

/** A read that takes longer has failed. */
const TIMEOUT_MS = 15_000;

/** A client of the table queries. Throws QueryError 'not_configured' without a usable address and key. */
export function createTableClient({ supabaseUrl, anonKey, fetch }: TableClientOptions): TableClient {
  const address = supabaseUrl?.trim().replace(/\/+$/, '');
  const key = anonKey?.trim();
  if (!address || !key || !/^https?:/.test(address) || !URL.canParse(address)) {
    throw new QueryError('not_configured');
  }
  try {
    return new PostgrestClient(`${address}/rest/v1`, {
      headers: { apikey: key },
      timeout: TIMEOUT_MS,
      // The page has its own Retry; waiting seven seconds for a server that is away helps nobody.
      retry: false,
      ...(fetch === undefined ? {} : { fetch }),
    });
  } catch {
    // A key that no header can carry.
    throw new QueryError('not_configured');
  }
}
