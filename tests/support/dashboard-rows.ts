import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import { ADVANCED_INDICATORS, type AdvancedIndicatorsRow, parseRow } from '#schema/columns.ts';
import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import type { MarketSource } from '#schema/market-source.ts';

/** The closing bell of the rows: Fri 13 Nov 2026. */
export const CLOSE = '2026-11-13T21:00:00.000Z';
const stamp = { source: 'live', created_at: CLOSE } as const;

/** A row of advanced indicators without a value. */
export const NO_INDICATORS = parseRow(ADVANCED_INDICATORS, { created_at: CLOSE }) as AdvancedIndicatorsRow;

const point = (index_value: number, created_at: string) => ({ index_value, index_label: null, created_at });

/** All eleven sectors; those not given have a strength of 50. */
function sectorsOf(
  strengths: Partial<Record<(typeof GICS_SECTORS)[number], number | null>>,
  stamp: { source: MarketSource; created_at: string },
) {
  return GICS_SECTORS.map((sector) => {
    const strength = strengths[sector];
    return { sector, strength: strength === undefined ? 50 : strength, ...stamp };
  });
}

/** Inputs of the signal a week earlier, all measured: Fri 6 Nov 2026. */
const lastWeek = { source: 'live', created_at: '2026-11-06T21:00:00.000Z' } as const;
const WEEK_AGO: MarketRows = {
  metrics: { market_exposure: 49, overall_strength: 52.3, ...lastWeek },
  sectors: sectorsOf({ Utilities: 40, 'Information Technology': 71, Energy: 33 }, lastWeek),
  indicators: {
    ...NO_INDICATORS,
    vix: 19.5,
    vix_change: 1.1,
    put_call_ratio: 0.97,
    high_low_index: 51,
    high_low_universe: 'NYSE',
    advance_decline_ratio: 0.9,
    mcclellan_oscillator: -31,
    mcclellan_universe: 'NYSE',
    trin: 1.05,
    trin_universe: 'NYSE',
    ...lastWeek,
  },
  sentiment: (['short', 'medium', 'long'] as const).map((timeframe) => ({
    timeframe,
    signal: 'Neutral',
    score: 51,
    description: null,
    rsi: 50,
    macd: 0.1,
    moving_avg_trend: 'neutral',
    volume_trend: 'neutral',
    ...lastWeek,
  })),
  breadth: {
    advancing_stocks: 1100,
    declining_stocks: 1290,
    unchanged_stocks: 110,
    universe: 'NYSE',
    ...lastWeek,
  },
};

/** A market in which every input but Fear & Greed has the given score. */
export function marketOf(score: number, created_at: string, changes: Partial<MarketRows> = {}): MarketRows {
  const stamp = { source: 'live', created_at } as const;
  return {
    metrics: { market_exposure: score, overall_strength: score, ...stamp },
    sectors: GICS_SECTORS.map((sector) => ({ sector, strength: score, ...stamp })),
    indicators: {
      ...NO_INDICATORS,
      vix: (100 - score) / 2,
      put_call_ratio: 1.5 - score / 100,
      mcclellan_oscillator: score - 50,
      ...stamp,
    },
    sentiment: (['short', 'medium', 'long'] as const).map((timeframe) => ({
      timeframe,
      score,
      signal: null,
      description: null,
      rsi: null,
      macd: null,
      moving_avg_trend: null,
      volume_trend: null,
      ...stamp,
    })),
    breadth: {
      advancing_stocks: score,
      declining_stocks: 100 - score,
      unchanged_stocks: 0,
      universe: null,
      ...stamp,
    },
    ...changes,
  };
}

/** A market with rows in every table and a few missing values. */
export const FULL: DashboardRows = {
  indices: [
    { symbol: 'DJI', name: 'Dow Jones', price: 47147.48, change: -309.1, change_percent: -0.6513, ...stamp },
    { symbol: 'SPX', name: 'S&P 500', price: 6734.11, change: 41.42, change_percent: 0.6188, ...stamp },
    { symbol: 'IXIC', name: 'Nasdaq Composite', price: 22900.59, change: 0, change_percent: 0, ...stamp },
  ],
  metrics: { market_exposure: 54, overall_strength: 58.14, ...stamp },
  fearGreed: {
    current: {
      index_value: 62.37,
      index_label: 'Extreme Fear',
      market_momentum: 71,
      stock_price_strength: 58,
      stock_price_breadth: 64,
      put_call_options: 44.95,
      junk_bond_demand: 55,
      market_volatility: null,
      safe_haven_demand: 87,
      earlier_components: null,
      ...stamp,
    },
    previousClose: {
      index_value: 59.2,
      index_label: 'Greed',
      market_momentum: 68.4,
      stock_price_strength: 58.04,
      stock_price_breadth: 66,
      put_call_options: 44.94,
      junk_bond_demand: null,
      market_volatility: 50,
      safe_haven_demand: 85,
      earlier_components: null,
      source: 'live',
      created_at: '2026-11-12T21:00:00.000Z',
    },
    oneWeekAgo: point(52, '2026-11-06T21:00:00.000Z'),
    oneMonthAgo: null,
    oneYearAgo: point(38, '2025-11-13T21:00:00.000Z'),
    timeline: [
      point(38, '2025-11-13T21:00:00.000Z'),
      point(12.5, '2026-03-06T21:00:00.000Z'),
      point(62.37, CLOSE),
    ],
  },
  sectors: sectorsOf(
    { Utilities: 31, 'Information Technology': 82.14, Energy: null, Financials: 55.2 },
    stamp,
  ),
  indicators: {
    ...NO_INDICATORS,
    vix: 17,
    vix_change: -0.62,
    put_call_ratio: 0.86,
    high_low_index: 57.5,
    high_low_universe: 'NYSE',
    advance_decline_ratio: 1.2,
    mcclellan_oscillator: -18,
    mcclellan_universe: 'NYSE',
    tick_universe: 'S&P 500',
    trin: 1.2,
    trin_universe: 'NYSE',
    ...stamp,
  },
  sentiment: [
    {
      timeframe: 'short',
      signal: 'Bullish',
      score: 61,
      description: 'Momentum turned up this week on rising volume.',
      rsi: 58.44,
      macd: -1.135,
      moving_avg_trend: 'bullish',
      volume_trend: 'neutral',
      ...stamp,
    },
    {
      timeframe: 'long',
      signal: null,
      score: 54,
      description: null,
      rsi: null,
      macd: null,
      moving_avg_trend: null,
      volume_trend: 'decreasing',
      ...stamp,
    },
  ],
  breadth: {
    advancing_stocks: 1362,
    declining_stocks: 1032,
    unchanged_stocks: 106,
    universe: 'NYSE',
    ...stamp,
  },
  weekAgo: { ...WEEK_AGO, fearGreed: point(52, '2026-11-06T21:00:00.000Z') },
};

/** A market whose tables are all empty. */
export const EMPTY: DashboardRows = {
  indices: [],
  metrics: null,
  fearGreed: {
    current: null,
    previousClose: null,
    oneWeekAgo: null,
    oneMonthAgo: null,
    oneYearAgo: null,
    timeline: [],
  },
  sectors: [],
  indicators: null,
  sentiment: [],
  breadth: null,
  weekAgo: { metrics: null, sectors: [], indicators: null, sentiment: [], breadth: null, fearGreed: null },
};

/** Changed values of the newest rows of single tables. `current` is the row of Fear & Greed. */
interface Changes {
  metrics?: Partial<NonNullable<DashboardRows['metrics']>>;
  indicators?: Partial<AdvancedIndicatorsRow>;
  breadth?: Partial<NonNullable<DashboardRows['breadth']>>;
  current?: Partial<NonNullable<DashboardRows['fearGreed']['current']>>;
}

/** The rows of FULL with changed values. */
export function fullWith({ metrics, indicators, breadth, current }: Changes): DashboardRows {
  const merged = <Row>(row: Row | null, changes: Partial<Row> | undefined) => row && { ...row, ...changes };
  return {
    ...FULL,
    metrics: merged(FULL.metrics, metrics),
    indicators: merged(FULL.indicators, indicators),
    breadth: merged(FULL.breadth, breadth),
    fearGreed: { ...FULL.fearGreed, current: merged(FULL.fearGreed.current, current) },
  };
}
