import './history-chart.css';
import { memo, useMemo, useState } from 'react';
import type { TimelineView } from '#views/timeline-view.ts';
import { ServerLink } from '../ui/page-context.tsx';
import { ChartTable, type Columns } from './chart-table.tsx';
import { LineChart } from './line-chart.tsx';

interface HistoryChartProps {
  view: TimelineView;
  heading: string;
  height: number;
  /** Width (pixels) reserved for the texts of the levels, left of the chart. */
  left: number;
}

/** A figure over a year: the line, the chosen or the newest reading in words, and all readings in a table. */
export const HistoryChart = memo(function HistoryChart({ view, heading, height, left }: HistoryChartProps) {
  const [picked, setPicked] = useState<number | null>(null);
  const pick = (index: number) => setPicked(view.points[index]?.at ?? null);
  const ticks = useMemo(() => (most: number) => ticksWithRoom(view.ticks, most), [view]);
  const rows = useMemo(() => {
    const cells = (index: number) => {
      const { dateText, text, label, change } = view.describe(index);
      return [dateText, text, label, change];
    };
    return { count: view.points.length, cells };
  }, [view]);
  const columns = useMemo<Columns>(
    () => ['Date (New York)', heading, { text: 'Label' }, 'Change'],
    [heading],
  );
  const newest = view.describe(view.points.length - 1);
  const place = view.points.findIndex(({ at }) => at === picked);
  const shown = place < 0 ? newest : view.describe(place);
  return (
    <>
      <LineChart
        points={view.points}
        span={view}
        scale={view.scale}
        levels={view.levels}
        zones={view.zones}
        ticks={ticks}
        end={newest.session === null ? 'moving' : 'final'}
        describe={view.describe}
        name={`${view.name} on a day of the last year`}
        summary={view.summary}
        height={height}
        left={left}
        onPick={pick}
        picked={place}
      />
      <p className="row timeline-picked">
        {shown.session === null ? (
          shown.dateText
        ) : (
          <ServerLink to={`on/${shown.session}`}>{shown.dateText}</ServerLink>
        )}
        <strong className="toned" data-tone={shown.tone}>
          {`${shown.text} ${shown.label}`}
        </strong>
        <span className="quiet">{shown.changeText}</span>
      </p>
      <ChartTable name={`Values of ${view.name}`} columns={columns} rows={rows} />
    </>
  );
});

const STEPS = [1, 2, 3, 6] as const;

/** At most `most` of the ticks, which are on the first of each month (epoch ms): every 1, 2, 3, 6 or 12 months, or n years. */
export function ticksWithRoom<Tick extends { at: number }>(ticks: readonly Tick[], most: number): Tick[] {
  for (const step of STEPS) {
    const kept = ticks.filter((tick) => monthOf(tick.at) % step === 0);
    if (kept.length <= most) return kept;
  }
  const years = ticks.filter((tick) => monthOf(tick.at) === 0);
  const every = Math.ceil(years.length / Math.max(most, 1));
  return years.filter((_, index) => index % every === 0);
}

// The first of a month begins in New York some hours after it does in UTC, so UTC names the same month.
const monthOf = (at: number) => new Date(at).getUTCMonth();
