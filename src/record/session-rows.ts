import type { Transaction } from '#database/port.ts';
import {
  ADVANCED_INDICATORS,
  FEAR_GREED_INDEX,
  INDEX_CLOSE,
  MARKET_BREADTH,
  MARKET_METRICS,
  parseRow,
} from '#schema/columns.ts';
import type { SessionRows } from '#schema/dashboard.ts';
import { TIMEFRAMES } from '#schema/market-source.ts';
import { toFields, toPercentage } from '#schema/parse.ts';

function rowPerBatch(table: string, columns: readonly string[], where = 'true'): string {
  const pairs = ['created_at', ...columns].map((column) => `'${column}', ${column}`);
  return `select created_at, json_build_object(${pairs.join(', ')}) as batch from public.${table} where ${where}`;
}

/** Returns SQL for the batches of a table that has several rows per batch: a value for each key. */
const valuesPerBatch = (table: string, key: string, column: string) =>
  `select created_at, json_build_object('created_at', created_at, 'values', json_object_agg(${key}, ${column} order by id)) as batch
   from public.${table} group by created_at`;

const PARTS = {
  close: rowPerBatch('market_indices', ['price'], "symbol = 'SPX' and price > 0"),
  fearGreed: rowPerBatch('fear_greed_index', ['index_value', 'source']),
  metrics: rowPerBatch('market_metrics', ['market_exposure', 'overall_strength', 'source']),
  sectors: valuesPerBatch('sector_strength', 'sector', 'strength'),
  indicators: rowPerBatch('advanced_indicators', ['vix', 'put_call_ratio', 'mcclellan_oscillator']),
  sentiment: valuesPerBatch('market_sentiment', 'timeframe', 'score'),
  breadth: rowPerBatch('market_breadth', [
    ...['advancing_stocks', 'declining_stocks', 'unchanged_stocks', 'universe'],
  ]),
};

/** The last batch of each part in each New York day, as one text: reading single rows takes ten times as long. */
const SESSIONS = `
  select json_agg(json_build_object('session', session, 'parts', parts) order by session) as sessions from (
    select session, json_object_agg(part, batch) as parts from (
      select distinct on (session, part) (created_at at time zone 'America/New_York')::date as session, part, batch
      from (${Object.entries(PARTS)
        .map(([part, batches]) => `select '${part}' as part, * from (${batches}) as ${part}`)
        .join(' union all ')}) as each
      order by session, part, created_at desc
    ) as last group by session
  ) as each`;

function toValues(batch: unknown): { key: string; value: number | null; created_at: string }[] {
  const { values, created_at } = toFields(batch) ?? {};
  return Object.entries(toFields(values) ?? {}).map(([key, value]) => ({
    ...{ key, value: toPercentage(value), created_at: String(created_at) },
  }));
}

/** Reads the last rows of each session from all tables, ascending. */
export async function readSessionRows(transaction: Transaction): Promise<SessionRows[]> {
  type Parts = Partial<Record<keyof typeof PARTS, unknown>>;
  const [row] = await transaction.query<{ sessions: { session: string; parts: Parts }[] | null }>(SESSIONS);
  return (row?.sessions ?? []).map(({ session, parts }) => {
    const terms = toValues(parts.sentiment);
    return {
      session,
      close: parseRow(INDEX_CLOSE, parts.close)?.price ?? null,
      fearGreed: parseRow(FEAR_GREED_INDEX, parts.fearGreed),
      metrics: parseRow(MARKET_METRICS, parts.metrics),
      sectors: toValues(parts.sectors).map(({ key, value, created_at }) => ({
        ...{ sector: key, strength: value, created_at },
      })),
      indicators: parseRow(ADVANCED_INDICATORS, parts.indicators),
      sentiment: TIMEFRAMES.flatMap((timeframe) =>
        terms.flatMap(({ key, value, created_at }) =>
          key === timeframe ? [{ timeframe, score: value, created_at }] : [],
        ),
      ),
      breadth: parseRow(MARKET_BREADTH, parts.breadth),
    };
  });
}
