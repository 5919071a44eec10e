import { useMemo } from 'react';
import { timelineView } from '#views/timeline-view.ts';
import { HistoryChart } from '../../charts/history-chart.tsx';
import type { History } from './loaded-timeline.tsx';

const HEIGHT = 400;
const LEFT = 34;

export function Timeline({ history }: { history: History }) {
  const view = useMemo(() => timelineView(history), [history]);
  if (view.points.length === 0) return <p className="quiet timeline-empty">{view.emptyText}</p>;
  return <HistoryChart view={view} heading="Index" height={HEIGHT} left={LEFT} />;
}
