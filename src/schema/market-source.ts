/** The origin of a row's numbers. `simulated` and `replay` are demonstration data, not the market of today. */
export const MARKET_SOURCES = ['simulated', 'replay', 'csv', 'live'] as const;
export type MarketSource = (typeof MARKET_SOURCES)[number];
