import { asDisplayed } from '../bands/precision.ts';
import type { BarMatrix, MarketHistory, SeriesName } from '../market-history.ts';

/** The indices shown, in their order on the page. */
export const INDICES = [
  { symbol: 'SPX', name: 'S&P 500', series: 'sp500_close' },
  { symbol: 'IXIC', name: 'Nasdaq Composite', series: 'nasdaq_composite_close' },
  { symbol: 'DJI', name: 'Dow Jones', series: 'dow_jones_close' },
] as const satisfies readonly { symbol: string; name: string; series: SeriesName }[];

/**
 * Quotes of the indices with a close in the session at `at`: the price in points, and the change in points and in percent,
 * null without a close in the previous session.
 */
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

/** Number of closed sessions over which the traded value is averaged. */
const AVERAGED_SESSIONS = 20;
const MILLION = 1e6;
const DIGITS = 3;

/**
 * Quotes the members in the last session of their bars. Empty without sessions. Weight and volume have three significant
 * digits. The volume of a session that `isOpen` is not part of the average; the change of a symbol that `isLeftOut` is
 * implausible and therefore null.
 */
export function quoteStocks(
  bars: BarMatrix,
  { isOpen, isLeftOut }: { isOpen: boolean; isLeftOut: (symbol: string) => boolean },
) {
  const width = bars.sessions.length;
  if (width === 0) return [];
  const closed = isOpen ? width - 1 : width;
  return bars.members.map((member, row) => {
    const at = (values: Float64Array, column: number) =>
      column < 0 ? Number.NaN : (values[row * width + column] ?? Number.NaN);
    let sum = 0;
    let count = 0;
    for (let column = Math.max(0, closed - AVERAGED_SESSIONS); column < closed; column++) {
      const value = at(bars.close, column) * at(bars.volume, column);
      if (Number.isNaN(value)) continue;
      sum += value;
      count += 1;
    }
    const change = 100 * (at(bars.close, width - 1) / at(bars.close, width - 2) - 1);
    const isKnown = Number.isFinite(change) && !isLeftOut(member.symbol);
    return {
      ...member,
      // Change since the close before, in percent with two decimals; null without both closes.
      changePercent: isKnown ? asDisplayed('changePercent', change) : null,
      // Average value of the shares traded per closed session, in millions of USD; null without a bar.
      weight: inMillions(sum / count),
      // Shares traded in the session so far, in millions.
      volume: inMillions(at(bars.volume, width - 1)),
    };
  });
}

export type StockQuote = ReturnType<typeof quoteStocks>[number];

const inMillions = (value: number): number | null =>
  Number.isFinite(value) ? Number((value / MILLION).toPrecision(DIGITS)) : null;
