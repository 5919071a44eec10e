import { DASHBOARD_TABLES, PAGE_ROWS, POINT_COLUMNS } from './dashboard-tables.ts';
import type { SessionClock } from './market-clock.ts';
import { closingSpan, dayAgo, dayBeforeOpened, timelineFrom } from './market-days.ts';

/** A read as it goes out: its whole address, and the headers it has besides the key, where it has any. */
export interface ReadRequest {
  url: string;
  headers?: Readonly<Record<string, string>>;
}

/**
 * What `fetchDashboard` asks a backend for at once, to the letter, without the client that it asks with: for a page
 * that has to begin before that client is there. `address` is absolute and ends without a slash.
 */
export function dashboardAddresses(address: string, clock: SessionClock): ReadRequest[] {
  const { indices, fearGreed, ...market } = DASHBOARD_TABLES;
  const point = { ...fearGreed, columns: POINT_COLUMNS };
  const tables = Object.values(market);

  const request = (
    { table, columns }: { table: string; columns: string },
    conditions: string[][],
    headers?: ReadRequest['headers'],
  ): ReadRequest => {
    const url = new URL(`${address}/rest/v1/${table}`);
    url.search = String(new URLSearchParams([['select', columns], ...conditions]));
    return { url: url.href, ...(headers && { headers }) };
  };
  type Table = { table: string; columns: string; limit: number; thenBy?: readonly string[] };
  const newestOf = ({ limit, thenBy = [] }: Table) => [
    ['order', ['created_at.desc', ...thenBy.map((column) => `${column}.asc`)].join(',')],
    ['limit', String(limit)],
  ];
  const newest = (table: Table) => request(table, newestOf(table));
  const close = (table: Table, day: string | null) => {
    if (day === null) return [];
    const { from, to } = closingSpan(clock, day);
    const span = [
      ['created_at', `gte.${from}`],
      ['created_at', `lt.${to}`],
    ];
    return [request(table, [...span, ...newestOf(table)])];
  };

  const weekAgo = dayAgo(clock, 'oneWeekAgo');
  return [
    ...[indices, fearGreed, ...tables].map(newest),
    ...[dayAgo(clock, 'previousClose'), dayBeforeOpened(clock)].flatMap((day) => close(fearGreed, day)),
    ...[weekAgo, dayAgo(clock, 'oneMonthAgo'), dayAgo(clock, 'oneYearAgo')].flatMap((day) =>
      close(point, day),
    ),
    ...tables.flatMap((table) => close(table, weekAgo)),
    request(
      point,
      [
        ['created_at', `gte.${timelineFrom(clock)}`],
        ['order', 'created_at.asc'],
        ['offset', '0'],
        ['limit', String(PAGE_ROWS)],
      ],
      { Prefer: 'count=exact' },
    ),
  ];
}
