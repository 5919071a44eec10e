import { meanOfPresent, percentileRank, zScore } from '../indicators/windows.ts';
import { FEAR_GREED_COMPONENTS, type FearGreedComponent, mapComponents } from './components.ts';

export const Z_SESSIONS = 125;
export const RANK_SESSIONS = 500;
/** Minimum number of z-values for a score. Below 500 values the score is provisional. */
const LEAST_RANKED = 250;
export const LEAST_COMPONENTS = 5;

/** Sessions of its series that a component needs for its first score, and for its first that is not provisional. */
export const SESSIONS_NEEDED = {
  first: Z_SESSIONS - 1 + LEAST_RANKED,
  full: Z_SESSIONS - 1 + RANK_SESSIONS,
} as const;

/** The score differs from `calmScore` only if volatility is high, so that low volatility adds no greed. */
export const VOLATILITY = {
  zSessions: 50,
  calmScore: 50,
  raised: { aboveDeviations: 1.5, shareOfRank: 1 / 2 },
  alarming: { fromVix: 30, shareOfRank: 1 / 5 },
} as const;

/** A value per component and session; NaN if missing. */
export type FearGreedSeries = Readonly<Record<FearGreedComponent, Float64Array>>;

/**
 * Scores the raw series, 0–100; NaN if missing. All must rise with greed, except the unchanged VIX. A component needs
 * `SESSIONS_NEEDED`, the index five components.
 */
export function scoreFearGreed(raw: FearGreedSeries) {
  const components = mapComponents((component) =>
    component === 'market_volatility' ? scoreVolatility(raw[component]) : scoreComponent(raw[component]),
  );
  return { value: fearGreedIndex(components), components };
}

/** Percentage of the last 500 z-values (over 125) strictly below the current one; NaN with fewer than 250. */
export function scoreComponent(raw: Float64Array): Float64Array {
  return percentileRank(zScore(raw, Z_SESSIONS), RANK_SESSIONS, LEAST_RANKED);
}

/**
 * Score of the VIX by its distance from its 50-session mean. The score is 50 while the VIX is calm. If the VIX is
 * raised or alarming, the score is a fraction of the share of sessions with a higher z-value.
 */
export function scoreVolatility(vix: Float64Array): Float64Array {
  const z = zScore(vix, VOLATILITY.zSessions);
  const rank = percentileRank(
    z.map((value) => -value),
    RANK_SESSIONS,
    LEAST_RANKED,
  );
  return rank.map((calm, at) => {
    if (Number.isNaN(calm)) return Number.NaN;
    if ((vix[at] ?? 0) >= VOLATILITY.alarming.fromVix) return calm * VOLATILITY.alarming.shareOfRank;
    if ((z[at] ?? 0) > VOLATILITY.raised.aboveDeviations) return calm * VOLATILITY.raised.shareOfRank;
    return VOLATILITY.calmScore;
  });
}

/** Mean of the available components per session; NaN with fewer than five. */
export function fearGreedIndex(components: FearGreedSeries): Float64Array {
  return meanOfPresent(
    FEAR_GREED_COMPONENTS.map((component) => components[component]),
    LEAST_COMPONENTS,
  );
}

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

/** The raw series for `scoreFearGreed`, from columns of a file. Negates series whose higher values mean fear. */
export function readRawColumns(read: (column: RawColumn) => Float64Array): FearGreedSeries {
  return mapComponents((component) => {
    const { column, isFear } = RAW_COLUMNS[component];
    return isFear ? read(column).map((value) => -value) : read(column);
  });
}
