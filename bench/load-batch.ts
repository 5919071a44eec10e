import type { Database } from '#database/port.ts';
import { INDICATOR_COLUMNS } from '#domain/readings/indicator-columns.ts';
import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import { PUBLISHED_TABLE_NAMES } from '#schema/tables.ts';

/* The rows that runs commit under load. Batch k has a row set in every table; its time is k seconds after the first
   one's; its every number is k. So each number identifies its batch. */

/** Maximum number of a batch: it is also the value of shares and scores, which are at most 100. */
export const MOST_BATCHES = 99;
const SECOND = 1_000;

export const TABLES = PUBLISHED_TABLE_NAMES;
export type LoadedTable = (typeof TABLES)[number];
type Row = Readonly<Record<string, unknown>>;

/** Time of a batch (epoch ms). `epoch` is one second before the first batch. */
export const instantOf = (batch: number, epoch: number) => epoch + batch * SECOND;

/** The batch of a time: an integer from 1 to 99. Any other number means that the time belongs to no batch. */
export const batchAt = (instant: number, epoch: number) => (instant - epoch) / SECOND;

const INDICES = { SPX: 'S&P 500', IXIC: 'Nasdaq Composite', DJI: 'Dow Jones' } as const;
const INPUTS = ['bars', 'vix_close', 'put_call_total', 'nyse_advances'] as const;

/** The rows of a batch, table by table. */
export function batchRows(batch: number, epoch: number): Record<LoadedTable, readonly Row[]> {
  const created_at = new Date(instantOf(batch, epoch)).toISOString();
  const stamp = { source: 'live', created_at };
  const numbers = (...columns: readonly string[]) =>
    Object.fromEntries(columns.map((column) => [column, batch]));
  return {
    market_indices: Object.entries(INDICES).map(([symbol, name]) => ({
      ...{ symbol, name, ...stamp },
      ...numbers('price', 'change', 'change_percent'),
    })),
    market_metrics: [{ ...numbers('market_exposure', 'overall_strength'), ...stamp }],
    fear_greed_index: [
      {
        ...numbers('index_value', 'market_momentum', 'stock_price_strength', 'stock_price_breadth'),
        ...numbers('put_call_options', 'junk_bond_demand', 'market_volatility', 'safe_haven_demand'),
        ...{ index_label: 'Neutral', ...stamp },
      },
    ],
    sector_strength: GICS_SECTORS.map((sector) => ({ sector, ...numbers('strength'), ...stamp })),
    advanced_indicators: [
      {
        ...Object.fromEntries(
          INDICATOR_COLUMNS.map((column) => [column, column.endsWith('_universe') ? 'NYSE' : batch]),
        ),
        ...stamp,
      },
    ],
    market_sentiment: ['short', 'medium', 'long'].map((timeframe) => ({
      ...{ timeframe, signal: 'Neutral', description: null, ...stamp },
      ...numbers('score', 'rsi', 'macd'),
      ...{ moving_avg_trend: 'neutral', volume_trend: 'neutral' },
    })),
    market_breadth: [
      { ...numbers('advancing_stocks', 'declining_stocks', 'unchanged_stocks'), universe: 'NYSE', ...stamp },
    ],
    market_stocks: Object.entries(INDICES).map(([symbol, name]) => ({
      ...{ symbol, name, sector: 'Energy', ...stamp },
      ...numbers('change_percent', 'weight', 'volume'),
    })),
    input_origins: INPUTS.map((input) => ({
      ...{ input, provider: 'alpaca', fetched_at: created_at, ...stamp },
    })),
  };
}

/** Adds rows to tables in one transaction. Returns the time of the confirmation (epoch ms). */
export async function writeRows(
  database: Database,
  tables: Partial<Record<LoadedTable, readonly Row[]>>,
): Promise<number> {
  await database.transaction(async (transaction) => {
    for (const [table, rows] of Object.entries(tables)) {
      const columns = Object.keys(rows[0] ?? {}).join(', ');
      const from = `json_populate_recordset(null::public.${table}, $1::json)`;
      await transaction.query(`insert into public.${table} (${columns}) select ${columns} from ${from}`, [
        JSON.stringify(rows),
      ]);
    }
  });
  return Date.now();
}

const DAY = 86_400_000;

/**
 * A Fear & Greed row for each day of the year before the first batch, and rows of all other tables for a week before
 * it.
 */
export function yearBefore(epoch: number): Partial<Record<LoadedTable, readonly Row[]>>[] {
  const weekAgo = batchRows(50, epoch - 7 * DAY);
  const [reading] = weekAgo.fear_greed_index;
  const readings = Array.from({ length: 365 }, (_, day) => ({
    ...reading,
    created_at: new Date(epoch - (day + 1) * DAY).toISOString(),
  }));
  return [{ ...weekAgo, fear_greed_index: readings }];
}
