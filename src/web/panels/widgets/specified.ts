/** Heights (including the attribution), ranges and data sources that the specification sets for the widgets. */

/** Default settings of a market overview. */
export const MARKET_OVERVIEW = { dateRange: '12M', height: 550 } as const;
/** The page's price chart is a market overview (specification, reading 9). */
export const PRICE_CHART = { dateRange: '1M', height: 500 } as const;
export const HOTLISTS = { height: 550 } as const;
export const HEATMAP = { dataSource: 'SPX500', height: 600 } as const;

/** The charting provider, whose widgets the page embeds. */
export const PROVIDER = { name: 'TradingView', url: 'https://www.tradingview.com/' } as const;
