import { advancingShare, indicatorParts, type SignalInputs } from '#domain/signal/inputs.ts';
import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import { TIMEFRAMES } from '#schema/market-sentiment.ts';
import { type Observed, observedRows } from './observed.ts';

/** What the signal is decided from: every row's own measurements, null where there is none. */
export function signalInputs(rows: MarketRows, fearGreed: number | null): SignalInputs {
  const { metrics, indicators, breadth } = rows;
  const scoreOf = (timeframe: string) =>
    rows.sentiment.find((row) => row.timeframe === timeframe)?.score ?? null;
  return {
    fearGreed: [{ name: 'Fear & Greed', score: fearGreed }],
    overallStrength: [{ name: 'Overall Strength', score: metrics?.overall_strength ?? null }],
    marketExposure: [{ name: 'Market Exposure', score: metrics?.market_exposure ?? null }],
    sentiment: TIMEFRAMES.map((timeframe) => ({ name: `${timeframe} term`, score: scoreOf(timeframe) })),
    advancedIndicators: indicatorParts({
      vix: indicators?.vix ?? null,
      putCallRatio: indicators?.put_call_ratio ?? null,
      mcclellanOscillator: indicators?.mcclellan_oscillator ?? null,
    }),
    sectors: rows.sectors.map((row) => ({ name: row.sector, score: row.strength })),
    breadth: [
      {
        name: 'Market Breadth',
        score:
          breadth === null
            ? null
            : advancingShare(breadth.advancing_stocks, breadth.declining_stocks, breadth.unchanged_stocks),
      },
    ],
  };
}

/** The newest row of every table the signal is decided from: of all but the indices. */
export function signalRows(rows: DashboardRows): Observed[] {
  return observedRows({ ...rows, indices: [] });
}
