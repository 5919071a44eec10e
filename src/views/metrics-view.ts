import { DISPLAYED_DECIMALS } from '#domain/bands/precision.ts';
import { metricBand } from '#domain/bands/score-bands.ts';
import type { MarketMetricsRow } from '#schema/columns.ts';
import { panelAsOf } from './day.ts';
import { figureOf } from './number.ts';

type Metric = 'marketExposure' | 'overallStrength';

function card(key: Metric, title: string, description: string, measured: number | null) {
  const { value, text } = figureOf('score', measured);
  const band = value === null ? null : metricBand(value);
  const { label = null, color = null } = band ?? {};
  return {
    key,
    title,
    description,
    value,
    text,
    decimals: DISPLAYED_DECIMALS.score,
    suffix: '%',
    label,
    color,
  };
}

export function metricsView(row: MarketMetricsRow | null, newest: string | null, productName: string) {
  if (row === null) return null;
  return {
    asOf: panelAsOf(row.created_at, newest),
    cards: [
      card('marketExposure', 'Market Exposure', '% of market participating', row.market_exposure),
      card('overallStrength', 'Overall Strength', `${productName} score`, row.overall_strength),
    ],
  };
}
export type MetricsView = NonNullable<ReturnType<typeof metricsView>>;
export type MetricCard = MetricsView['cards'][number];
