import { MARKET_SOURCES, type MarketSource } from './market-source.ts';
import { toFields, toInstant, toNumber, toWord } from './parse.ts';

/** The close of an index, from a row of `market_indices`. */
export interface IndexClose {
  /** Above zero. */
  price: number;
  source: MarketSource | null;
  created_at: string;
}

export const INDEX_CLOSE_COLUMNS = 'price,source,created_at';

/** The close in an untrusted value; null without a price above zero or a time. */
export function parseIndexClose(value: unknown): IndexClose | null {
  const fields = toFields(value);
  if (fields === null) return null;
  const price = toNumber(fields.price);
  const created_at = toInstant(fields.created_at);
  if (price === null || price <= 0 || created_at === null) return null;
  return { price, source: toWord(MARKET_SOURCES, fields.source), created_at };
}
