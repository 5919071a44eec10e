import type { SessionClock } from './market-clock.ts';
import { dashboardReads, namesOf, type TableRead } from './table-reads.ts';

/** A read as an HTTP request: its whole address, and its headers besides the key. */
export interface ReadRequest {
  url: string;
  headers?: Readonly<Record<string, string>>;
}

/** The query string and headers of a read, exactly as the table client sends them. */
export function requestOf(read: TableRead) {
  const { filters = [], order, offset, limit, isCounted } = read;
  const query = new URLSearchParams({ select: namesOf(read) });
  for (const [column, operator, value] of filters) query.append(column, `${operator}.${value}`);
  if (order) query.append('order', order.join());
  if (offset !== undefined) query.append('offset', `${offset}`);
  query.append('limit', `${limit}`);
  return { query: `${query}`, ...(isCounted && { headers: { Prefer: 'count=exact' } }) };
}

/** The initial reads of a page that starts before the table client has loaded. `address` has no trailing slash. */
export const dashboardAddresses = (address: string, clock: SessionClock): ReadRequest[] =>
  Object.values(dashboardReads(clock))
    .flatMap((group): (TableRead | null)[] => Object.values(group))
    .filter((read) => read !== null)
    .map((read) => {
      const { query, ...rest } = requestOf(read);
      return { url: new URL(`${address}/rest/v1/${read.table}?${query}`).href, ...rest };
    });
