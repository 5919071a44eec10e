import type { MarketHistory, SeriesName } from './market-history.ts';

/** An index quote: price in points, change from the previous session in points and percent. */
export interface IndexQuote {
  symbol: string;
  name: string;
  price: number;
  change: number | null;
  changePercent: number | null;
}

/** The indices shown, in their order on the page. */
export const INDICES = [
  { symbol: 'SPX', name: 'S&P 500', series: 'sp500_close' },
  { symbol: 'IXIC', name: 'Nasdaq Composite', series: 'nasdaq_composite_close' },
  { symbol: 'DJI', name: 'Dow Jones', series: 'dow_jones_close' },
] as const satisfies readonly { symbol: string; name: string; series: SeriesName }[];

/** Quotes of the indices with a close in the session at `at`, with the change from the previous session. */
export function quoteIndices(series: MarketHistory['series'], at: number): IndexQuote[] {
  return INDICES.flatMap(({ symbol, name, series: key }): IndexQuote[] => {
    const price = series[key]?.[at] ?? Number.NaN;
    if (Number.isNaN(price)) return [];
    const before = series[key]?.[at - 1] ?? Number.NaN;
    if (Number.isNaN(before)) return [{ symbol, name, price, change: null, changePercent: null }];
    const change = price - before;
    return [{ symbol, name, price, change, changePercent: (100 * change) / before }];
  });
}
