import type { Transaction } from '#database/port.ts';
import type { SendRead } from '#queries/read-rows.ts';
import type { TableRead } from '#queries/table-reads.ts';
import { MARKET_TABLES, type MarketTableName } from '#schema/tables.ts';

interface PastRow {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Sends reads to the rows as they stood at an instant (epoch ms). */
export type PastMarket = (until: number) => SendRead;

/** Every Fear & Greed row counts, because the change since the previous close is read too. */
const DAILY_TABLE: MarketTableName = 'fear_greed_index';

/** The number of rows, newest first, that are later than an instant. */
function laterThan(rows: readonly PastRow[], instant: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.at ?? 0) > instant) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The rows of a read that existed at `until`, newest first. Throws for a read with filters on other columns than the time. */
function select(rows: readonly PastRow[], { filters = [], limit, table }: TableRead, until: number) {
  let [from, to] = [Number.NEGATIVE_INFINITY, until];
  for (const [column, operator, value] of filters) {
    if (column !== 'created_at') throw new Error(`The past rows of ${table} cannot be read by ${column}.`);
    if (operator === 'gte') from = Math.max(from, Date.parse(value));
    else if (operator === 'lt') to = Math.min(to, Date.parse(value) - 1);
    else throw new Error(`The past rows of ${table} cannot be read by ${operator}.`);
  }
  const first = laterThan(rows, to);
  const selected = rows.slice(first, first + limit);
  return selected.filter(({ at }) => at >= from).map(({ row }) => row);
}

/** Reads the rows of these closes (epoch ms). The result returns the market as it was at any instant in between. */
export async function readPastMarket(
  transaction: Transaction,
  closes: readonly number[],
): Promise<PastMarket> {
  const instants = `{${closes.map((close) => new Date(close).toISOString()).join(',')}}`;
  const tables = new Map<string, PastRow[]>();
  for (const name of MARKET_TABLES) {
    const [isWanted, parameters] =
      name === DAILY_TABLE ? ['true', []] : ['created_at = any($1::timestamptz[])', [instants]];
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
