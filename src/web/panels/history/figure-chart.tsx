import { useMemo } from 'react';
import { type FigureRow, figureHistoryView } from '#views/figure-history-view.ts';
import type { HistoryFigure } from '#views/stored-figure.ts';
import { HistoryChart } from '../../charts/history-chart.tsx';

const HEIGHT = 220;
/** Space for '−12.5' beside the levels. */
const LEFT = 42;

interface FigureChartProps {
  rows: readonly FigureRow[];
  of: HistoryFigure;
  name: string;
}

export function FigureChart({ rows, of, name }: FigureChartProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a figure keeps its name and its rows
  const view = useMemo(() => figureHistoryView(rows, of, name), [rows]);
  if (view.points.length === 0) return <p className="quiet">{view.emptyText}</p>;
  return <HistoryChart view={view} heading="Value" height={HEIGHT} left={LEFT} />;
}
