/** A company of the universe, with its GICS sector. */
export interface Member {
  symbol: string;
  name: string;
  sector: string;
}

/** Daily bars. The value of member n in session s (of S, ascending) is at `n * S + s`; NaN without a bar. */
export interface BarMatrix {
  readonly sessions: readonly string[];
  readonly members: readonly Member[];
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  /** Shares. */
  readonly volume: Float64Array;
}

/** The daily series that are not bars of a member. Yields and spreads in percent, ratios as ratios. */
export const SERIES = [
  'sp500_close',
  'sp500_volume',
  'nasdaq_composite_close',
  'dow_jones_close',
  'vix_close',
  'put_call_total',
  'put_call_equity',
  'nyse_advances',
  'nyse_declines',
  'nyse_unchanged',
  'nyse_new_highs',
  'nyse_new_lows',
  'high_yield_oas',
  'investment_grade_oas',
  'treasury_10y_yield',
  /** A fund of Treasuries of seven to ten years, adjusted for its dividends. */
  'treasury_fund_close',
  /** The Financial Stress Index of the Office of Financial Research. No formula uses it. */
  'ofr_stress_index',
  /** The exchange's closing TRIN. */
  'nyse_trin',
  /** The members' TICK proxy, computed by `tickProxy`. */
  'tick_proxy',
] as const;
export type SeriesName = (typeof SERIES)[number];

/** A series of counts has whole numbers from 0 to this, far more than the issues of the exchange. */
export const LARGEST_COUNT = 20_000;

/** The series that are stored from their beginning on, for the risk outlook. */
export const OUTLOOK_SERIES: readonly SeriesName[] = ['sp500_close', 'vix_close'];

/** All data of a source. `sessions` may start long before the bars, whose sessions end it. NaN without a value. */
export interface MarketHistory {
  readonly sessions: readonly string[];
  readonly series: Readonly<Partial<Record<SeriesName, Float64Array>>>;
  readonly bars: BarMatrix;
  /** Display name of the members: 'S&P 500', or the name of an invented market. */
  readonly universe: string;
}
