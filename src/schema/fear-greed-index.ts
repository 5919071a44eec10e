import { MARKET_SOURCES, type MarketSource } from './market-source.ts';
import { toFields, toFlag, toInstant, toPercentage, toText, toWord } from './parse.ts';

/** The seven components of the Fear & Greed index, each 0–100; null for a missing component. */
export interface FearGreedComponents {
  market_momentum: number | null;
  stock_price_strength: number | null;
  stock_price_breadth: number | null;
  put_call_options: number | null;
  junk_bond_demand: number | null;
  market_volatility: number | null;
  safe_haven_demand: number | null;
}

/** The Fear & Greed index, 0–100, and its components. */
export interface FearGreedRow extends FearGreedComponents {
  index_value: number;
  index_label: string | null;
  /** True if a component uses a value of an earlier session than the row's; null if this was not recorded. */
  mixed_sessions: boolean | null;
  source: MarketSource | null;
  created_at: string;
}

export const FEAR_GREED_INDEX_COLUMNS =
  'index_value,index_label,market_momentum,stock_price_strength,stock_price_breadth,put_call_options,junk_bond_demand,market_volatility,safe_haven_demand,mixed_sessions,source,created_at';

/** The components in the fields of an untrusted row. */
export function parseComponents(fields: Readonly<Record<string, unknown>>): FearGreedComponents {
  return {
    market_momentum: toPercentage(fields.market_momentum),
    stock_price_strength: toPercentage(fields.stock_price_strength),
    stock_price_breadth: toPercentage(fields.stock_price_breadth),
    put_call_options: toPercentage(fields.put_call_options),
    junk_bond_demand: toPercentage(fields.junk_bond_demand),
    market_volatility: toPercentage(fields.market_volatility),
    safe_haven_demand: toPercentage(fields.safe_haven_demand),
  };
}

/** The row in an untrusted value; null if `index_value` or `created_at` is invalid. */
export function parseFearGreed(value: unknown): FearGreedRow | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const index_value = toPercentage(fields.index_value);
  const created_at = toInstant(fields.created_at);
  if (index_value === null || created_at === null) return null;
  return {
    index_value,
    index_label: toText(fields.index_label),
    ...parseComponents(fields),
    mixed_sessions: toFlag(fields.mixed_sessions),
    source: toWord(MARKET_SOURCES, fields.source),
    created_at,
  };
}
