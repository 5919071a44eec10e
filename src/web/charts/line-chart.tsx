import './charts.css';
import { type ReactNode, useMemo, useState } from 'react';
import { useSize } from '../ui/use-size.ts';
import { ChartTip, type PointText } from './chart-tip.tsx';
import { ChartWalk } from './chart-walk.tsx';
import { Drawing, type DrawingProps } from './drawing.tsx';
import { type Frame, nearestPoint, type Point, timeToX, valueToY, xToTime } from './geometry.ts';

const MARGINS = { right: 14, top: 10, bottom: 28 } as const;

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

  return (
    <figure className={props.height === undefined ? 'chart chart-filling' : 'chart'} ref={ref}>
      <figcaption className="visually-hidden">{summary}</figcaption>
      {width > 0 ? (
        <Drawing {...{ points, span, scale, levels, zones, ticks, end, frame }} />
      ) : (
        <svg width="1" height={height} aria-hidden="true" />
      )}
      <ChartWalk
        className="chart-walk"
        name={name}
        last={last}
        chosen={chosen}
        onChoose={setChosen}
        pointText={pointText}
        placeAt={(x) => nearestPoint(points, xToTime(x, span, frame))}
        onPick={onPick}
      >
        {chosen !== null && point && pointText && width > 0 && (
          <ChartTip
            pointText={pointText}
            x={timeToX(point.at, span, frame)}
            y={valueToY(point.value, scale, frame)}
            frame={frame}
          />
        )}
      </ChartWalk>
    </figure>
  );
}
