import { DISPLAYED_DECIMALS } from '#domain/bands/precision.ts';
import { metricBand } from '#domain/bands/score-bands.ts';
import type { MarketMetricsRow } from '#schema/columns.ts';
import { panelAsOf } from './day.ts';
import type { MetricCard, MetricsView } from './model.ts';
import { figureOf } from './number.ts';

function card(named: Pick<MetricCard, 'key' | 'title' | 'description'>, measured: number | null): MetricCard {
  const { value, text } = figureOf('score', measured);
  const band = value === null ? null : metricBand(value);
  return {
    ...named,
    value,
    text,
    decimals: DISPLAYED_DECIMALS.score,
    suffix: '%',
    label: band?.label ?? null,
    color: band?.color ?? null,
  };
}

/** The two metric cards; null without a row. */
export function metricsView(
  row: MarketMetricsRow | null,
  newest: string | null,
  productName: string,
): MetricsView | null {
  if (row === null) return null;
  return {
    asOf: panelAsOf(row.created_at, newest),
    cards: [
      card(
        { key: 'marketExposure', title: 'Market Exposure', description: '% of market participating' },
        row.market_exposure,
      ),
      card(
        { key: 'overallStrength', title: 'Overall Strength', description: `${productName} score` },
        row.overall_strength,
      ),
    ],
  };
}
