import { useMemo } from 'react';
import type { DashboardRows } from '#views/dashboard.ts';
import type { TimelinePoint } from '#views/model.ts';
import { timelineView } from '#views/timeline.ts';
import { ChartTable } from '../../charts/chart-table.tsx';
import { LineChart } from '../../charts/line-chart.tsx';
import { ticksWithRoom } from './tick-room.ts';

const HEIGHT = 400;
const LEFT = 34;
const SCALE = { low: 0, high: 100 } as const;
const HEADINGS = ['Date (New York)', 'Index', 'Label'] as const;

const tell = ({ dateText, text, label, zone }: TimelinePoint) => ({
  dateText,
  text,
  note: label,
  tone: `zone-${zone}`,
});

/** The index over the last year, or the words that stand in for it. */
export function Timeline({ history }: { history: DashboardRows['fearGreed']['timeline'] }) {
  const view = useMemo(() => timelineView(history), [history]);
  const levels = useMemo(
    () => [
      ...[SCALE.low, SCALE.high].map((value) => ({ value, text: String(value), dashed: false })),
      ...view.references.map((value) => ({ value, text: String(value), dashed: true })),
    ],
    [view],
  );
  const ticks = useMemo(() => (most: number) => ticksWithRoom(view.ticks, most), [view]);
  if (view.points.length === 0) return <p className="quiet timeline-empty">{view.emptyText}</p>;
  return (
    <>
      <LineChart
        points={view.points}
        span={view}
        scale={SCALE}
        levels={levels}
        ticks={ticks}
        tell={tell}
        name="Fear & Greed index on a day of the last year"
        summary={view.summary}
        height={HEIGHT}
        left={LEFT}
      />
      <ChartTable
        name="Values of the timeline"
        headings={HEADINGS}
        rows={view.points.map(({ at, dateText, text, label }) => ({
          key: at,
          cells: [dateText, text, label],
        }))}
      />
    </>
  );
}
