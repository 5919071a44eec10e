/** The charting provider, whose widgets the page embeds. */
export const PROVIDER = { name: 'TradingView', url: 'https://www.tradingview.com/' } as const;
