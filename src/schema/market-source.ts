/** The origin of the numbers of a row. */
export const MARKET_SOURCES = ['simulated', 'replay', 'csv', 'live'] as const;
export type MarketSource = (typeof MARKET_SOURCES)[number];

/** Sources whose rows are not the current market. Any other source replaces them. */
export const DEMONSTRATIONS = ['simulated', 'replay'] as const satisfies readonly MarketSource[];

/** True if rows of this source do not describe the current market. */
export const isDemonstration = (source: MarketSource): boolean =>
  DEMONSTRATIONS.some((name) => name === source);

export const TIMEFRAMES = ['short', 'medium', 'long'] as const;
export type Timeframe = (typeof TIMEFRAMES)[number];
