import { PostgrestClient } from '@supabase/postgrest-js';
import type { DashboardRows } from '#schema/dashboard.ts';
import type { SessionClock } from './market-clock.ts';
import { QueryError } from './query-error.ts';
import { readDashboard } from './read-dashboard.ts';
import type { SendRead } from './read-rows.ts';
import { namesOf, type TableRead } from './table-reads.ts';

export type TableClient = PostgrestClient;

/** Address and key of the tables: injected by our own server, or the `VITE_` values of a static build. */
export interface TableClientOptions {
  supabaseUrl: string | null | undefined;
  anonKey: string | null | undefined;
  /** The browser's own `fetch` if not set. */
  fetch?: typeof globalThis.fetch;
}

/** Time limit of a call, until the last byte of its response. */
const TIMEOUT_MS = 15_000;

/** A client of the table queries. Throws QueryError 'not_configured' without a usable address and key. */
export function createTableClient({ supabaseUrl, anonKey, fetch }: TableClientOptions): TableClient {
  const address = supabaseUrl?.trim().replace(/(?<!\/)\/+$/, '');
  const key = anonKey?.trim();
  if (!address || !key || !/^https?:/.test(address) || !URL.canParse(address)) {
    throw new QueryError('not_configured');
  }
  const call = fetch ?? globalThis.fetch;
  try {
    return new PostgrestClient(`${address}/rest/v1`, {
      headers: { apikey: key },
      // The client's own time limit ends with the response headers, and the body may never arrive.
      fetch: (input, init) => call(input, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) }),
      // No retries: they would delay the error by seven seconds, and the page has its own Retry button.
      retry: false,
    });
  } catch {
    // The key contains characters that a header cannot have.
    throw new QueryError('not_configured');
  }
}

/** Builds the table client's query for a read, without the row limit. */
export function queryOf(client: TableClient, read: TableRead) {
  const { table, filters = [], order = [], isCounted } = read;
  const query = client.from(table).select(namesOf(read), isCounted ? { count: 'exact' } : {});
  for (const filter of filters) query.filter(...filter);
  for (const by of order) {
    const [column = '', direction] = by.split('.');
    query.order(column, { ascending: direction === 'asc' });
  }
  return query;
}

export const sendThrough =
  (client: TableClient): SendRead =>
  (read) => {
    const { offset, limit } = read;
    const query = queryOf(client, read);
    return offset === undefined ? query.limit(limit) : query.range(offset, offset + limit - 1);
  };

/** Reads the dashboard through the table client of a page; logs a failure. Throws QueryError, with a message fit to show. */
export async function fetchDashboard(
  client: TableClient | null,
  clock: SessionClock,
): Promise<DashboardRows> {
  if (client === null) throw new QueryError('not_initialized');
  try {
    return await readDashboard(sendThrough(client), clock, true);
  } catch (error) {
    console.error('The market could not be read:', error instanceof QueryError ? error.cause : error);
    throw error instanceof QueryError ? error : new QueryError('failed_to_fetch');
  }
}
