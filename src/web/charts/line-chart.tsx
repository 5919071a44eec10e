import './charts.css';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useMemo, useState } from 'react';
import { useSize } from '../ui/use-size.ts';
import { ChartTip, type PointText } from './chart-tip.tsx';
import { Drawing, type DrawingProps } from './drawing.tsx';
import { type Frame, nearestPoint, type Point, timeToX, valueToY, xToTime } from './geometry.ts';

const MARGINS = { right: 14, top: 10, bottom: 28 } as const;

/** Page Up and Page Down move by a month of sessions. */
const PAGE = 21;

const KEYS: Record<string, (index: number, last: number) => number> = {
  ArrowLeft: (index) => index - 1,
  ArrowDown: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  ArrowUp: (index) => index + 1,
  PageDown: (index) => index - PAGE,
  PageUp: (index) => index + PAGE,
  Home: () => 0,
  End: (_, last) => last,
};

interface LineChartProps<P extends Point> extends Omit<DrawingProps, 'points' | 'frame'> {
  /** Ascending; at least one. */
  points: readonly P[];
  /** Text of a point in the tip and for assistive technology; called for the selected point only. */
  describe: (point: P, index: number) => PointText;
  /** Accessible name of the slider that moves along the line. */
  name: string;
  /** The chart in a sentence. */
  summary: string;
  /** The height in pixels; undefined to fill the parent element. */
  height?: number;
  /** Width (pixels) reserved for the texts of the levels, left of the chart. */
  left: number;
  /** Called with the index of a point that was clicked, tapped or reached by keys. */
  onPick?: (index: number) => void;
}

/**
 * A line over time. Pointer and arrow keys move along it; assistive technology gets a slider. Pass the same objects as
 * props on every rendering; otherwise the chart is drawn again.
 */
export function LineChart<P extends Point>(props: LineChartProps<P>): ReactNode {
  const { points, span, scale, levels, zones, ticks, end, describe, name, summary, left, onPick } = props;
  const [ref, size] = useSize<HTMLDivElement>();
  const { width } = size;
  const height = props.height ?? size.height;
  const [chosen, setChosen] = useState<number | null>(null);
  const last = points.length - 1;
  const frame: Frame = useMemo(() => ({ width, height, left, ...MARGINS }), [width, height, left]);
  const place = Math.min(chosen ?? last, last);
  const point = points[place];
  const pointText = point && describe(point, place);

  function choose(index: number) {
    setChosen(index);
    onPick?.(index);
  }

  function onPointerMove(event: PointerEvent<HTMLElement>) {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    setChosen(nearestPoint(points, xToTime(x, span, frame)));
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') setChosen(null);
    const next = KEYS[event.key]?.(chosen ?? last, last);
    if (next === undefined) return;
    event.preventDefault();
    choose(Math.min(last, Math.max(0, next)));
  }

  return (
    <figure className={props.height === undefined ? 'chart chart-filling' : 'chart'} ref={ref}>
      <figcaption className="visually-hidden">{summary}</figcaption>
      {width > 0 ? (
        <Drawing {...{ points, span, scale, levels, zones, ticks, end, frame }} />
      ) : (
        <svg width="1" height={height} aria-hidden="true" />
      )}
      <div
        className="chart-walk"
        role="slider"
        tabIndex={0}
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={place}
        aria-valuetext={
          pointText &&
          [`${pointText.dateText}: ${pointText.text}`, pointText.note, pointText.change]
            .filter(Boolean)
            .join(', ')
        }
        onPointerMove={onPointerMove}
        onPointerDown={onPointerMove}
        onClick={() => onPick?.(place)}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setChosen(null)}
        onBlur={() => setChosen(null)}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && setChosen(last)}
        onKeyDown={onKeyDown}
      >
        {chosen !== null && point && pointText && width > 0 && (
          <ChartTip
            pointText={pointText}
            x={timeToX(point.at, span, frame)}
            y={valueToY(point.value, scale, frame)}
            frame={frame}
          />
        )}
      </div>
    </figure>
  );
}
