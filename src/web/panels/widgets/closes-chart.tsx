import './closes.css';
import { useContext, useMemo } from 'react';
import { type ClosePoint, type ClosesView, closesView } from '#views/closes-view.ts';
import { ChartTable, type TableRows } from '../../charts/chart-table.tsx';
import { LineChart } from '../../charts/line-chart.tsx';
import { NewestAt } from '../../ui/page-context.tsx';
import { useRead } from '../../ui/use-read.tsx';
import type { LoadCloses } from './widget.tsx';

/** Space for '6,750' beside the levels. */
const LEFT = 52;
const HEADINGS = ['Date (New York)', 'S&P 500', 'As of'] as const;

const describe = ({ dateText, text, note, changeText }: ClosePoint) => ({
  dateText,
  text,
  note,
  change: changeText,
});

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

interface ClosesChartProps {
  load: LoadCloses;
  /** Number of the attempt to read the closes. A new number causes another read. */
  attempt: number;
}

/** The page's own chart of the S&P 500, the fallback for the provider's chart. */
export function ClosesChart({ load, attempt }: ClosesChartProps) {
  const { value: closes, failure } = useRead(load, `${useContext(NewestAt)} ${attempt}`);
  const view = useMemo(() => closes && closesView(closes), [closes]);
  if (view === null) {
    return (
      <div className="widget-closes quiet">
        {failure !== null && <p>The closes of the S&amp;P 500 could not be read: {failure}</p>}
      </div>
    );
  }
  if (view.points.length === 0) return <p className="widget-closes quiet">{view.emptyText}</p>;
  return <Closes view={view} />;
}

function Closes({ view }: { view: ClosesView }) {
  const levels = useMemo(() => view.levels.map((level) => ({ ...level, dashed: false })), [view]);
  const ticks = useMemo(() => (most: number) => thinned(view.ticks, most), [view]);
  const rows = useMemo(() => rowsOf(view), [view]);
  return (
    <section className="widget-closes" aria-labelledby="closes-title">
      <div className="closes-head">
        <h3 id="closes-title">{view.title}</h3>
        {view.change !== null && (
          <span className="toned" data-tone={view.change.tone}>
            {view.change.text}
          </span>
        )}
        <span className="quiet small">
          {view.asOfText}
          {view.demo !== null && <span title={view.demo.title}> · {view.demo.text}</span>}
        </span>
      </div>
      <div className="closes-chart">
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
      <ChartTable name="Closes of the S&P 500" headings={HEADINGS} rows={rows} />
    </section>
  );
}
