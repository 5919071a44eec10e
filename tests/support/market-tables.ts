import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import type { MarketTables, WrittenRow } from './page-over-rows.ts';

/** The closing bell of the rows: Fri 13 Nov 2026, 16:00 in New York. */
export const BELL = '2026-11-13T21:00:00Z';

const stamp = { source: 'live', created_at: BELL } as const;

/** A Fear & Greed row. The table restricts the label to five words; the page derives it from the number. */
export const fearGreedRow = (index_value: unknown, created_at: string = BELL, more: WrittenRow = {}) => ({
  index_value,
  index_label: 'Neutral',
  source: 'live',
  created_at,
  ...more,
});

export const sentimentRow = (timeframe: string, more: WrittenRow = {}) => ({
  timeframe,
  score: 50,
  ...stamp,
  ...more,
});

/** Every table filled without gaps: every input of the signal is exactly 50. */
export const MIDDLING = {
  market_indices: [
    { symbol: 'SPX', name: 'S&P 500', price: 6734.11, change: 41.42, change_percent: 0.6188, ...stamp },
    { symbol: 'IXIC', name: 'Nasdaq Composite', price: 22900.59, change: 0, change_percent: 0, ...stamp },
    { symbol: 'DJI', name: 'Dow Jones', price: 47147.48, change: -309.1, change_percent: -0.6513, ...stamp },
  ],
  market_metrics: [{ market_exposure: 50, overall_strength: 50, ...stamp }],
  fear_greed_index: [
    fearGreedRow(50, BELL, {
      market_momentum: 50,
      stock_price_strength: 50,
      stock_price_breadth: 50,
      put_call_options: 50,
      junk_bond_demand: 50,
      market_volatility: 50,
      safe_haven_demand: 50,
    }),
  ],
  sector_strength: GICS_SECTORS.map((sector) => ({ sector, strength: 50, ...stamp })),
  advanced_indicators: [
    {
      vix: 25,
      vix_change: 0,
      put_call_ratio: 1,
      high_low_index: 50,
      high_low_universe: 'NYSE',
      advance_decline_ratio: 1,
      mcclellan_oscillator: 0,
      mcclellan_universe: 'NYSE',
      tick_index: 0,
      tick_universe: 'S&P 500',
      trin: 1,
      trin_universe: 'NYSE',
      ...stamp,
    },
  ],
  market_sentiment: [sentimentRow('short'), sentimentRow('medium'), sentimentRow('long')],
  market_breadth: [
    { advancing_stocks: 50, declining_stocks: 50, unchanged_stocks: 0, universe: 'NYSE', ...stamp },
  ],
} as const satisfies MarketTables;

type OneRowTable = 'market_metrics' | 'advanced_indicators' | 'market_breadth';

/** The single row of a table of MIDDLING, with some columns changed. */
export function changed(table: OneRowTable, columns: WrittenRow): MarketTables {
  return { [table]: [{ ...MIDDLING[table][0], ...columns }] };
}
