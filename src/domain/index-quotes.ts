import type { MarketHistory, SeriesName } from './market-history.ts';

/** The indices shown, in their order on the page. */
export const INDICES = [
  { symbol: 'SPX', name: 'S&P 500', series: 'sp500_close' },
  { symbol: 'IXIC', name: 'Nasdaq Composite', series: 'nasdaq_composite_close' },
  { symbol: 'DJI', name: 'Dow Jones', series: 'dow_jones_close' },
] as const satisfies readonly { symbol: string; name: string; series: SeriesName }[];

/** Quotes of the indices with a close in the session at `at`: points, and the change from the previous session. */
export function quoteIndices(series: MarketHistory['series'], at: number) {
  return INDICES.flatMap(({ symbol, name, series: key }) => {
    const price = series[key]?.[at] ?? Number.NaN;
    if (Number.isNaN(price)) return [];
    const before = series[key]?.[at - 1] ?? Number.NaN;
    const change = Number.isNaN(before) ? null : price - before;
    return [{ symbol, name, price, change, changePercent: change === null ? null : (100 * change) / before }];
  });
}
export type IndexQuote = ReturnType<typeof quoteIndices>[number];
