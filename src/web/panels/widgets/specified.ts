/** Default settings of a market overview. */
export const MARKET_OVERVIEW = { dateRange: '12M', height: 550 } as const;
/** The page's price chart is a market overview (specification, reading 9). */
export const PRICE_CHART = { dateRange: '1M', height: 500 } as const;

/** The charting provider, whose widgets the page embeds. */
export const PROVIDER = { name: 'TradingView', url: 'https://www.tradingview.com/' } as const;

/** The page's widgets: height with the attribution (pixels), and the same content at the provider. */
export const WIDGETS = {
  'market-overview': {
    title: 'Price Chart',
    height: PRICE_CHART.height,
    path: 'markets/indices/',
    link: 'Market overview',
  },
  hotlists: {
    title: 'Top Gainers and Losers',
    height: 550,
    path: 'markets/stocks-usa/market-movers-gainers/',
    link: 'Market movers',
  },
  'stock-heatmap': {
    title: 'S&P 500 Heatmap',
    height: 600,
    path: 'heatmap/stock/',
    link: 'Stock heatmap',
  },
} as const;

export type WidgetId = keyof typeof WIDGETS;
