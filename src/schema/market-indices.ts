import { MARKET_SOURCES, type MarketSource } from './market-source.ts';
import { toFields, toInstant, toName, toNumber, toPositive, toWord } from './parse.ts';

/** One index quote at `created_at`. */
export interface MarketIndexRow {
  symbol: string;
  name: string;
  price: number | null;
  change: number | null;
  change_percent: number | null;
  source: MarketSource | null;
  created_at: string;
}

export const MARKET_INDICES_COLUMNS = 'symbol,name,price,change,change_percent,source,created_at';

/** The row in an untrusted value; null if `symbol`, `name` or `created_at` is invalid. */
export function parseMarketIndex(value: unknown): MarketIndexRow | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const symbol = toName(fields.symbol);
  const name = toName(fields.name);
  const created_at = toInstant(fields.created_at);
  if (symbol === null || name === null || created_at === null) return null;
  return {
    symbol,
    name,
    price: toPositive(fields.price),
    change: toNumber(fields.change),
    change_percent: toNumber(fields.change_percent),
    source: toWord(MARKET_SOURCES, fields.source),
    created_at,
  };
}
