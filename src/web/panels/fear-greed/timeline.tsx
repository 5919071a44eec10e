import { memo, useMemo } from 'react';
import type { TimelinePoint } from '#views/model.ts';
import { timelineView } from '#views/timeline-view.ts';
import { ChartTable } from '../../charts/chart-table.tsx';
import { LineChart } from '../../charts/line-chart.tsx';
import type { History } from './history.ts';
import { ticksWithRoom } from './tick-room.ts';

const HEIGHT = 400;
const LEFT = 34;
const SCALE = { low: 0, high: 100 } as const;
const HEADINGS = ['Date (New York)', 'Index', 'Label'] as const;

/** True if a refresh read the same rows again: then nothing is drawn again. */
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
  const levels = useMemo(
    () => [
      ...[SCALE.low, SCALE.high].map((value) => ({ value, text: String(value), dashed: false })),
      ...view.references.map((value) => ({ value, text: String(value), dashed: true })),
    ],
    [view],
  );
  const ticks = useMemo(() => (most: number) => ticksWithRoom(view.ticks, most), [view]);
  const describe = useMemo(() => {
    return (_: TimelinePoint, index: number) => {
      const { dateText, text, label, zone } = view.describe(index);
      return { dateText, text, note: label, tone: `zone-${zone}` };
    };
  }, [view]);
  const rows = useMemo(() => {
    const cells = (index: number) => {
      const { dateText, text, label } = view.describe(index);
      return [dateText, text, label];
    };
    return { count: view.points.length, cells };
  }, [view]);
  if (view.points.length === 0) return <p className="quiet timeline-empty">{view.emptyText}</p>;
  return (
    <>
      <LineChart
        points={view.points}
        span={view}
        scale={SCALE}
        levels={levels}
        ticks={ticks}
        describe={describe}
        name="Fear & Greed index on a day of the last year"
        summary={view.summary}
        height={HEIGHT}
        left={LEFT}
      />
      <ChartTable name="Values of the timeline" headings={HEADINGS} rows={rows} />
    </>
  );
}, sameHistory);
