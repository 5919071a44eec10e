import { metricBand } from '#domain/bands/metric.ts';
import { DISPLAYED_DECIMALS } from '#domain/bands/precision.ts';
import type { MarketMetricsRow } from '#schema/market-metrics.ts';
import { asOf } from './day.ts';
import type { MetricCard, MetricsView } from './model.ts';
import { figureOf } from './number.ts';

const CARDS = {
  marketExposure: { title: 'Market Exposure', description: '% of market participating' },
  overallStrength: { title: 'Overall Strength', description: 'Barometer score' },
} as const;

function card(key: keyof typeof CARDS, measured: number | null): MetricCard {
  const { value, text } = figureOf('score', measured);
  const band = value === null ? null : metricBand(value);
  return {
    key,
    ...CARDS[key],
    value,
    text,
    decimals: DISPLAYED_DECIMALS.score,
    suffix: '%',
    label: band?.label ?? null,
    color: band?.color ?? null,
  };
}

/** The two metric cards; null without a row. */
export function metricsView(row: MarketMetricsRow | null): MetricsView | null {
  if (row === null) return null;
  return {
    asOf: asOf(row.created_at),
    cards: [card('marketExposure', row.market_exposure), card('overallStrength', row.overall_strength)],
  };
}
