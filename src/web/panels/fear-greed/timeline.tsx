import './timeline.css';
import { memo, useMemo, useState } from 'react';
import type { TimelinePoint } from '#views/model.ts';
import { timelineView } from '#views/timeline-view.ts';
import { ChartTable } from '../../charts/chart-table.tsx';
import { LineChart } from '../../charts/line-chart.tsx';
import { ServerLink } from '../../ui/page-context.tsx';
import type { History } from './loaded-timeline.tsx';

const HEIGHT = 400;
const LEFT = 34;
const SCALE = { low: 0, high: 100 } as const;
const HEADINGS = ['Date (New York)', 'Index', 'Label', 'Change'] as const;

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
  const [picked, setPicked] = useState<number | null>(null);
  const levels = useMemo(
    () => [
      ...[SCALE.low, SCALE.high].map((value) => ({ value, text: String(value), dashed: false })),
      ...view.references.map((value) => ({ value, text: String(value), dashed: true })),
    ],
    [view],
  );
  const zones = useMemo(
    () => view.zones.map(({ zone, label, from, to }) => ({ from, to, text: label, tone: `zone-${zone}` })),
    [view],
  );
  const pick = (index: number) => setPicked(view.points[index]?.at ?? null);
  const ticks = useMemo(() => (most: number) => ticksWithRoom(view.ticks, most), [view]);
  const describe = useMemo(() => {
    return (_: TimelinePoint, index: number) => {
      const { dateText, text, label, zone, changeText } = view.describe(index);
      return { dateText, text, note: label, tone: `zone-${zone}`, change: changeText };
    };
  }, [view]);
  const rows = useMemo(() => {
    const cells = (index: number) => {
      const { dateText, text, label, changeText } = view.describe(index);
      const [change = null] = changeText?.split(' ') ?? [];
      return [dateText, text, label, change];
    };
    return { count: view.points.length, cells };
  }, [view]);
  if (view.points.length === 0) return <p className="quiet timeline-empty">{view.emptyText}</p>;
  const newest = view.describe(view.points.length - 1);
  const place = view.points.findIndex(({ at }) => at === picked);
  const shown = place < 0 ? newest : view.describe(place);
  return (
    <>
      <LineChart
        points={view.points}
        span={view}
        scale={SCALE}
        levels={levels}
        zones={zones}
        ticks={ticks}
        end={newest.session === null ? 'moving' : 'final'}
        describe={describe}
        name="Fear & Greed index on a day of the last year"
        summary={view.summary}
        height={HEIGHT}
        left={LEFT}
        onPick={pick}
      />
      <p className="timeline-picked">
        {shown.session === null ? (
          shown.dateText
        ) : (
          <ServerLink to={`on/${shown.session}`}>{shown.dateText}</ServerLink>
        )}
        <strong className="toned" data-tone={`zone-${shown.zone}`}>
          {`${shown.text} ${shown.label}`}
        </strong>
        <span className="quiet">{shown.changeText}</span>
      </p>
      <ChartTable name="Values of the timeline" headings={HEADINGS} rows={rows} />
    </>
  );
}, sameHistory);

const STEPS = [1, 2, 3, 6] as const;

/**
 * Drops ticks until at most `most` remain. Expects ticks on the first of each month (epoch milliseconds). Keeps every
 * month, or every second, third, sixth or twelfth counted from January, or every nth year.
 */
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
