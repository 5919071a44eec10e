import './sparkline.css';
import { useMemo, useState } from 'react';
import type { FearGreedView } from '#views/fear-greed-view.ts';
import { type SparklineView, sparklineView, type TimelinePoint } from '#views/timeline-view.ts';
import { ChartTip, ChartWalk } from '../../charts/chart-walk.tsx';
import { type Frame, linePath, nearestPoint, timeToX, valueToY, xToTime } from '../../charts/geometry.ts';
import { useRead } from '../../ui/load-part.tsx';
import type { LoadComponents } from './loaded-timeline.tsx';

const SCALE = { low: 0, high: 100 } as const;

/** The drawing is stretched to its box, so these are units of the drawing. */
const FRAME: Frame = { width: 120, height: 28, left: 0, right: 0, top: 0, bottom: 0 };
const MIDDLE = valueToY(50, SCALE, FRAME);

interface SparklineProps {
  component: FearGreedView['components'][number];
  /** All sparklines share the read. */
  load: LoadComponents;
}

/** A component of the index over a year; nothing without a history. A refresh reads the history again. */
export function Sparkline({ component: { key, name }, load }: SparklineProps) {
  // The row is complete without a sparkline, so a failure needs no message.
  const { value: rows } = useRead(load);
  const view = useMemo(() => rows && sparklineView(rows, key), [rows, key]);
  return view && <Line name={name} view={view} />;
}

function Line({ name, view }: { name: string; view: SparklineView }) {
  const { points } = view;
  const [chosen, setChosen] = useState<number | null>(null);
  const last = points.length - 1;
  const place = Math.min(chosen ?? last, last);
  const line = useMemo(() => linePath(points, view, SCALE, FRAME), [points, view]);
  const pointText = view.describe(place);
  return (
    <ChartWalk
      className="sparkline"
      name={`${name}, a year: ${view.summary}`}
      last={last}
      chosen={chosen}
      onChoose={setChosen}
      pointText={pointText}
      placeAt={(x, width) => nearestPoint(points, xToTime((FRAME.width * x) / width, view, FRAME))}
    >
      <svg viewBox={`0 0 ${FRAME.width} ${FRAME.height}`} preserveAspectRatio="none" aria-hidden="true">
        <path className="sparkline-middle" d={`M0 ${MIDDLE}H${FRAME.width}`} />
        <path className="sparkline-line" d={line} />
        <Dot point={points[last]} view={view} tone={`zone-${view.zone}`} />
        {chosen !== null && <Dot point={points[place]} view={view} tone={pointText.tone} isChosen />}
      </svg>
      {chosen !== null && <ChartTip pointText={pointText} />}
    </ChartWalk>
  );
}

interface DotProps {
  point: TimelinePoint | undefined;
  view: SparklineView;
  tone: string;
  /** True for the chosen point, which has a line over the whole height. */
  isChosen?: boolean;
}

function Dot({ point, view, tone, isChosen = false }: DotProps) {
  if (point === undefined) return null;
  const x = timeToX(point.at, view, FRAME);
  return (
    <>
      {isChosen && <path d={`M${x} 0V${FRAME.height}`} />}
      {/* A line of length zero with round ends is a dot, which the stretching does not distort. */}
      <path className="sparkline-dot" data-tone={tone} d={`M${x} ${valueToY(point.value, SCALE, FRAME)}h0`} />
    </>
  );
}
