import { MARKET_SOURCES, type MarketSource } from './market-source.ts';
import { toCount, toFields, toInstant, toName, toWord } from './parse.ts';

/** Counts of advancing, declining and unchanged stocks of `universe`. */
export interface MarketBreadthRow {
  advancing_stocks: number | null;
  declining_stocks: number | null;
  unchanged_stocks: number | null;
  universe: string | null;
  source: MarketSource | null;
  created_at: string;
}

export const MARKET_BREADTH_COLUMNS =
  'advancing_stocks,declining_stocks,unchanged_stocks,universe,source,created_at';

/** The row in an untrusted value; null if `created_at` is invalid. */
export function parseMarketBreadth(value: unknown): MarketBreadthRow | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const created_at = toInstant(fields.created_at);
  if (created_at === null) return null;
  return {
    advancing_stocks: toCount(fields.advancing_stocks),
    declining_stocks: toCount(fields.declining_stocks),
    unchanged_stocks: toCount(fields.unchanged_stocks),
    universe: toName(fields.universe),
    source: toWord(MARKET_SOURCES, fields.source),
    created_at,
  };
}
