import { useMemo } from 'react';
import { timelineView } from '#views/timeline.ts';
import type { Rows } from '../../app/dependencies.ts';
import { TimelineChart } from './timeline-chart.tsx';
import { TimelineTable } from './timeline-table.tsx';

/** The index over the last year, or the words that stand in for it. */
export function Timeline({ history }: { history: Rows['fearGreed']['timeline'] }) {
  const view = useMemo(() => timelineView(history), [history]);
  if (view.points.length === 0) return <p className="quiet timeline-empty">{view.emptyText}</p>;
  return (
    <>
      <TimelineChart view={view} />
      <TimelineTable points={view.points} />
    </>
  );
}
