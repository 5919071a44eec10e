/** The seven tables that a visitor reads, in the order of the specification. */
export const MARKET_TABLES = [
  'market_indices',
  'market_metrics',
  'fear_greed_index',
  'sector_strength',
  'advanced_indicators',
  'market_sentiment',
  'market_breadth',
] as const;
export type MarketTableName = (typeof MARKET_TABLES)[number];

/** The origins of the inputs of the newest rows, read on demand. */
export const ORIGINS_TABLE = 'input_origins';

/** The only table into which a visitor may insert. */
export const SUBSCRIBERS_TABLE = 'email_subscribers';
