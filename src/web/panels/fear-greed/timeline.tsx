import { memo, useMemo } from 'react';
import { timelineView } from '#views/timeline-view.ts';
import { HistoryChart } from '../../charts/history-chart.tsx';
import type { History } from './loaded-timeline.tsx';

const HEIGHT = 400;
const LEFT = 34;

/** True if a refresh read the same rows again, so that the chart need not be drawn again. */
function sameHistory(
  { history: before }: { history: History },
  { history: after }: { history: History },
): boolean {
  const isSame = ({ created_at, index_value }: History[number], index: number) =>
    created_at === before[index]?.created_at && index_value === before[index]?.index_value;
  return before === after || (before.length === after.length && after.every(isSame));
}

/** The index over the last year, or its placeholder text. */
export const Timeline = memo(function Timeline({ history }: { history: History }) {
  const view = useMemo(() => timelineView(history), [history]);
  if (view.points.length === 0) return <p className="quiet timeline-empty">{view.emptyText}</p>;
  return <HistoryChart view={view} heading="Index" height={HEIGHT} left={LEFT} />;
}, sameHistory);
