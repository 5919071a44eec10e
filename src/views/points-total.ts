import { DISPLAYED_DECIMALS } from '#domain/bands/precision.ts';
import type { Figure, SignalRow } from './model.ts';

/** The sum of the displayed points, as text; '—' without a verdict. The score is this to one decimal. */
export function pointsTotal({ score, rows }: { score: Figure; rows: readonly SignalRow[] }): string {
  if (score.value === null) return score.text;
  const total = rows.reduce((sum, { points }) => sum + (points.value ?? 0), 0);
  return total.toFixed(DISPLAYED_DECIMALS.points);
}
