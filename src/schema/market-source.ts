/** Where the numbers of a row come from; `simulated` and `replay` are demonstration, not the market of today. */
export const MARKET_SOURCES = ['simulated', 'replay', 'csv', 'live'] as const;
export type MarketSource = (typeof MARKET_SOURCES)[number];
