/** Heights (attribution included), ranges and sources of the specification. */

/** A market overview by default. */
export const MARKET_OVERVIEW = { dateRange: '12M', height: 550 } as const;
/** The price chart of the page is a market overview: reading 9. */
export const PRICE_CHART = { dateRange: '1M', height: 500 } as const;
export const HOTLISTS = { height: 550 } as const;
export const HEATMAP = { dataSource: 'SPX500', height: 600 } as const;
