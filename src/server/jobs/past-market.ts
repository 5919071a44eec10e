import type { Transaction } from '#database/port.ts';
import type { SendRead } from '#queries/read-rows.ts';
import type { TableRead } from '#queries/table-reads.ts';
import { MARKET_TABLES, type MarketTableName } from '#schema/tables.ts';

interface PastRow {
  /** Time (epoch milliseconds). */
  readonly at: number;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Returns a way to read the page's rows as of an instant (epoch ms). */
export type PastMarket = (until: number) => SendRead;

/** All rows of this table are read, because the page shows the change since the previous close. */
const DAILY_TABLE: MarketTableName = 'fear_greed_index';

/** Returns how many rows of a list, newest first, are later than an instant. */
function laterThan(rows: readonly PastRow[], instant: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.at ?? 0) > instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the rows of a read that existed at `until`, newest first. Throws if the read filters by any other column than
 * the time.
 */
function select(rows: readonly PastRow[], { filters = [], limit, table }: TableRead, until: number) {
  let [from, to] = [Number.NEGATIVE_INFINITY, until];
  for (const [column, operator, value] of filters) {
    if (column !== 'created_at')
      throw new Error(`The past rows of ${table} cannot be filtered by ${column}.`);
    if (operator === 'gte') from = Math.max(from, Date.parse(value));
    else if (operator === 'lt') to = Math.min(to, Date.parse(value) - 1);
    else throw new Error(`The past rows of ${table} cannot be filtered with ${operator}.`);
  }
  const first = laterThan(rows, to);
  const selected = rows.slice(first, first + limit);
  return selected.filter(({ at }) => at >= from).map(({ row }) => row);
}

/**
 * Reads the rows of these closes (epoch ms), and the Fear & Greed rows from `since` on (epoch ms; null for all). The
 * result reads the market as it was at any instant in that time.
 */
export async function readPastMarket(
  transaction: Transaction,
  closes: readonly number[],
  since: number | null = null,
): Promise<PastMarket> {
  const instants = `{${closes.map((close) => new Date(close).toISOString()).join(',')}}`;
  const tables = new Map<string, PastRow[]>();
  for (const name of MARKET_TABLES) {
    const [isWanted, parameters] =
      name === DAILY_TABLE
        ? ['created_at >= $1::timestamptz', [since === null ? '-infinity' : new Date(since).toISOString()]]
        : ['created_at = any($1::timestamptz[])', [instants]];
    const rows = await transaction.query<{ at: number; row: PastRow['row'] }>(
      `select (extract(epoch from created_at) * 1000)::double precision as at, to_jsonb(past) as row
       from public.${name} as past where ${isWanted} order by created_at desc, id`,
      parameters,
    );
    tables.set(name, rows);
  }
  return (until) => async (read) => ({
    data: select(tables.get(read.table) ?? [], read, until),
    error: null,
    status: 200,
    count: null,
  });
}
