import { bandFrom } from './band.ts';
import { asDisplayed } from './precision.ts';

/** Bands of the two metric cards: red below 35, yellow below 55, otherwise green. Each colour has its own word. */
export const METRIC_BANDS = [
  { from: 55, color: 'green', label: 'High', tone: 'positive' },
  { from: 35, color: 'yellow', label: 'Moderate', tone: 'neutral' },
  { from: Number.NEGATIVE_INFINITY, color: 'red', label: 'Low', tone: 'negative' },
] as const;
export type MetricBand = (typeof METRIC_BANDS)[number];

/** The band of market exposure or overall strength, 0–100. */
export function metricBand(value: number): MetricBand {
  return bandFrom(METRIC_BANDS, asDisplayed('score', value));
}
