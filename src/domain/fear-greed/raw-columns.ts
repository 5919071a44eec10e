import type { FearGreedComponent } from './components.ts';
import { type FearGreedSeries, mapComponents } from './score.ts';

/** The column of each raw series in a CSV file. `isFear` is true if higher values mean fear. */
export const RAW_COLUMNS = {
  market_momentum: { column: 'sp500', isFear: false },
  stock_price_strength: { column: 'price_strength', isFear: false },
  stock_price_breadth: { column: 'price_breadth', isFear: false },
  put_call_options: { column: 'put_call', isFear: true },
  junk_bond_demand: { column: 'junk_bond_spread', isFear: true },
  // The VIX is not negated, because the scorer needs its original sign.
  market_volatility: { column: 'vix', isFear: false },
  safe_haven_demand: { column: 'safe_haven', isFear: false },
} as const satisfies Record<FearGreedComponent, { column: string; isFear: boolean }>;
export type RawColumn = (typeof RAW_COLUMNS)[FearGreedComponent]['column'];

/**
 * The raw series for `scoreFearGreed`. `read` returns a column of the file (NaN for an empty field). Negates series
 * whose higher values mean fear.
 */
export function readRawColumns(read: (column: RawColumn) => Float64Array): FearGreedSeries {
  return mapComponents((component) => {
    const { column, isFear } = RAW_COLUMNS[component];
    return isFear ? read(column).map((value) => -value) : read(column);
  });
}
