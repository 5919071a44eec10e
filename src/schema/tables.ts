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

export const STOCKS_TABLE = 'market_stocks';

export const PUBLISHED_TABLE_NAMES = [...MARKET_TABLES, ORIGINS_TABLE, STOCKS_TABLE] as const;

/** The views of the issued signals and their grades. They contain no address of a subscriber. */
export const RECORD_VIEWS = ['issued_signals', 'signal_grades'] as const;

/** The publications without their content, and the events of `/quality`. */
export const ARCHIVE_TABLES = ['publications', 'quality_events'] as const;

/** The view of the verdict changes that two closes in a row have confirmed. */
export const VERDICT_CHANGES_VIEW = 'verdict_changes';

export const FEAR_GREED_SESSIONS_VIEW = 'fear_greed_sessions';

/** The only table into which a visitor may insert. */
export const SUBSCRIBERS_TABLE = 'email_subscribers';
