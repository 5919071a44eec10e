import type { Transaction } from '#database/port.ts';
import { marketDay } from '#domain/calendar/sessions.ts';
import { parseAdvancedIndicators } from '#schema/advanced-indicators.ts';
import { parseFearGreed } from '#schema/fear-greed-index.ts';
import { parseIndexClose } from '#schema/index-close.ts';
import { parseMarketBreadth } from '#schema/market-breadth.ts';
import { parseMarketMetrics } from '#schema/market-metrics.ts';
import { TIMEFRAMES } from '#schema/market-sentiment.ts';
import { toFields, toPercentage } from '#schema/parse.ts';
import type { SessionRows } from '#schema/session-rows.ts';

type BySession<T> = ReadonlyMap<string, T>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the last batch of each New York day, by session. `sql` selects `created_at` and the batch as one JSON object.
 * Postgres joins all batches into one text, because reading them as single rows takes ten times as long.
 */
async function lastBatches(transaction: Transaction, sql: string): Promise<BySession<Fields>> {
  const [result] = await transaction.query<{ batches: { created_at: string; batch: Fields }[] | null }>(
    `select json_agg(each order by created_at) as batches from (${sql}) as each`,
  );
  const batches = result?.batches ?? [];
  return new Map(
    batches.map(({ created_at, batch }) => [marketDay(Date.parse(created_at)), { ...batch, created_at }]),
  );
}

/** Reads the last row of each session from a table that has one row per batch. */
async function lastRows<R>(
  transaction: Transaction,
  { table, columns, where = 'true' }: { table: string; columns: string; where?: string },
  parse: (value: unknown) => R | null,
): Promise<BySession<R | null>> {
  const pairs = columns.split(',').map((column) => `'${column}', ${column}`);
  const batches = await lastBatches(
    transaction,
    `select created_at, json_build_object(${pairs.join(', ')}) as batch from public.${table} where ${where}`,
  );
  return new Map([...batches].map(([session, row]) => [session, parse(row)]));
}

/** Reads the last percentages of each session, with their keys, from a table that has several rows per batch. */
async function lastPercentages(
  transaction: Transaction,
  { table, key, column }: { table: string; key: string; column: string },
): Promise<BySession<{ key: string; value: number | null; created_at: string }[]>> {
  const batches = await lastBatches(
    transaction,
    `select created_at, json_build_object('values', json_object_agg(${key}, ${column} order by id)) as batch
     from public.${table} group by created_at`,
  );
  return new Map(
    [...batches].map(([session, { values, created_at }]) => [
      session,
      Object.entries(toFields(values) ?? {}).map(([name, value]) => ({
        key: name,
        value: toPercentage(value),
        created_at: String(created_at),
      })),
    ]),
  );
}

/**
 * Reads the last rows of each session from all tables. Returns the sessions in ascending order. Throws DatabaseError.
 */
export async function readSessionRows(transaction: Transaction): Promise<SessionRows[]> {
  const closes = await lastRows(
    transaction,
    { table: 'market_indices', columns: 'price', where: "symbol = 'SPX' and price > 0" },
    parseIndexClose,
  );
  const fearGreed = await lastRows(
    transaction,
    { table: 'fear_greed_index', columns: 'index_value,source' },
    parseFearGreed,
  );
  const metrics = await lastRows(
    transaction,
    { table: 'market_metrics', columns: 'market_exposure,overall_strength,source' },
    parseMarketMetrics,
  );
  const sectors = await lastPercentages(transaction, {
    table: 'sector_strength',
    key: 'sector',
    column: 'strength',
  });
  const indicators = await lastRows(
    transaction,
    {
      table: 'advanced_indicators',
      columns: 'vix,put_call_ratio,mcclellan_oscillator',
    },
    parseAdvancedIndicators,
  );
  const sentiment = await lastPercentages(transaction, {
    table: 'market_sentiment',
    key: 'timeframe',
    column: 'score',
  });
  const breadth = await lastRows(
    transaction,
    { table: 'market_breadth', columns: 'advancing_stocks,declining_stocks,unchanged_stocks,universe' },
    parseMarketBreadth,
  );
  const tables = [closes, fearGreed, metrics, sectors, indicators, sentiment, breadth];
  const sessions = [...new Set(tables.flatMap((table) => [...table.keys()]))].sort();
  return sessions.map((session) => ({
    session,
    close: closes.get(session)?.price ?? null,
    fearGreed: fearGreed.get(session) ?? null,
    metrics: metrics.get(session) ?? null,
    sectors: (sectors.get(session) ?? []).map(({ key, value, created_at }) => ({
      sector: key,
      strength: value,
      created_at,
    })),
    indicators: indicators.get(session) ?? null,
    sentiment: TIMEFRAMES.flatMap((timeframe) =>
      (sentiment.get(session) ?? [])
        .filter(({ key }) => key === timeframe)
        .map(({ value, created_at }) => ({ timeframe, score: value, created_at })),
    ),
    breadth: breadth.get(session) ?? null,
  }));
}
