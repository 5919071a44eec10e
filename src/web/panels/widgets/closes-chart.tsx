import { useMemo } from 'react';
import { type ClosesView, closesView, type IndexClose } from '#views/closes-view.ts';
import { ChartTable, type Columns, type TableRows } from '../../charts/chart-table.tsx';
import { LineChart } from '../../charts/line-chart.tsx';
import { OwnDrawing } from './own-drawing.tsx';

/** Space for '6,750' beside the levels. */
const LEFT = 52;
const COLUMNS: Columns = ['Date (New York)', 'S&P 500', { text: 'As of' }];

/** Every tick, or every second, third, … until at most `most` remain. */
function thinned<Tick>(ticks: readonly Tick[], most: number): Tick[] {
  const step = Math.ceil(ticks.length / Math.max(1, most));
  return ticks.filter((_, index) => index % step === 0);
}

const rowsOf = ({ points }: ClosesView): TableRows => ({
  count: points.length,
  cells: (index) => {
    const point = points[index];
    return point === undefined ? [] : [point.dateText, point.text, point.note];
  },
});

export function ClosesChart({ load }: { load: () => Promise<readonly IndexClose[]> }) {
  return (
    <OwnDrawing
      load={load}
      viewOf={closesView}
      subject="The closes of the S&P 500"
      beside={({ change }) =>
        change && (
          <span className="toned" data-tone={change.tone}>
            {change.text}
          </span>
        )
      }
    >
      {(view) => <Closes view={view} />}
    </OwnDrawing>
  );
}

function Closes({ view }: { view: ClosesView }) {
  const levels = useMemo(() => view.levels.map((level) => ({ ...level, dashed: false })), [view]);
  const ticks = useMemo(() => (most: number) => thinned(view.ticks, most), [view]);
  const rows = useMemo(() => rowsOf(view), [view]);
  const describe = (index: number) => {
    const point = view.points[index];
    return point && { ...point, label: point.note };
  };
  return (
    <>
      <div className="own-place">
        <LineChart
          points={view.points}
          span={view}
          scale={view}
          levels={levels}
          ticks={ticks}
          end={view.running ? 'moving' : 'final'}
          describe={describe}
          name="S&P 500 on a session of the last month"
          summary={view.summary}
          left={LEFT}
        />
      </div>
      <ChartTable name="Closes of the S&P 500" columns={COLUMNS} rows={rows} />
    </>
  );
}
