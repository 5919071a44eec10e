import './charts.css';
import { memo, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { TimelineLook } from '#views/timeline-view.ts';
import { ChartTip, ChartWalk, type PointText } from './chart-walk.tsx';
import {
  type Frame,
  linePath,
  nearestPoint,
  type Point,
  type Scale,
  type Span,
  thinned,
  timeToX,
  valueToY,
  xToTime,
} from './geometry.ts';

const MARGINS = { right: 14, top: 10, bottom: 28 } as const;
/** Width right of the chart for the names of its zones, in one line each; and with one word in a line, on phones. */
const ZONE_NAMES = 104;
const ZONE_WORDS = 72;
const PHONE = 480;

interface LineChartProps extends Omit<DrawingProps, 'frame'> {
  /** Text of a point in the tip and for assistive technology; called for the selected point only. */
  describe: (index: number) => PointText | undefined;
  /** Accessible name of the slider that moves along the line. */
  name: string;
  summary: string;
  /** The height in pixels; undefined to fill the parent element. */
  height?: number;
  /** Width (in units of the drawing) reserved for the texts of the levels, left of the chart. */
  left: number;
  onPick?: (index: number) => void;
  /** The index of a point that stays marked while none is chosen; -1 for none. */
  picked?: number;
}

/** A line over time, with a slider for pointer and keys. Pass stable props: each new object draws the chart again. */
export function LineChart(props: LineChartProps) {
  const { points, span, scale, levels, zones, ticks, end, describe, name, summary, left, onPick } = props;
  const { picked = -1 } = props;
  const [ref, size] = useSize<HTMLDivElement>();
  const unit = textUnit();
  const width = size.width / unit;
  const height = size.height / unit;
  const [chosen, setChosen] = useState<number | null>(null);
  const last = points.length - 1;
  // Without space for both, the line needs it more than the names: the colours and the text of each point remain.
  const names = width < PHONE ? ZONE_WORDS : ZONE_NAMES;
  const right = zones === undefined || width < 2 * ZONE_NAMES ? MARGINS.right : names;
  const frame: Frame = useMemo(
    () => ({ width, height, left, ...MARGINS, right }),
    [width, height, left, right],
  );
  const place = Math.min(chosen ?? last, last);
  const pointText = describe(place);
  const markedPlace = chosen === null ? picked : place;
  const marked = points[markedPlace];

  return (
    <figure
      className={props.height === undefined ? 'chart chart-filling' : 'chart'}
      style={{ height: props.height }}
      ref={ref}
    >
      <figcaption className="visually-hidden">{summary}</figcaption>
      {width > 0 && <Drawing {...{ points, span, scale, levels, zones, ticks, end, frame }} />}
      <ChartWalk
        className="chart-walk"
        name={name}
        last={last}
        chosen={chosen}
        onChoose={setChosen}
        pointText={pointText}
        placeAt={(x) => nearestPoint(points, xToTime(x / unit, span, frame))}
        onPick={onPick}
      >
        {marked && width > 0 && (
          <Mark {...{ span, scale, frame }} point={marked} tone={describe(markedPlace)?.tone}>
            {chosen !== null && pointText}
          </Mark>
        )}
      </ChartWalk>
    </figure>
  );
}

interface MarkProps extends Pick<DrawingProps, 'span' | 'scale' | 'frame'> {
  point: Point;
  tone: string | undefined;
  /** The point in words, or false to show the mark only. */
  children: PointText | false | undefined;
}

/** A dot at a point, a line through it, and its words in a box that stays inside the chart. */
function Mark({ point, span, scale, frame, tone, children: pointText }: MarkProps) {
  const { width, height } = frame;
  const x = timeToX(point.at, span, frame);
  const y = valueToY(point.value, scale, frame);
  const [across, down] = [`${(100 * x) / width}%`, (100 * y) / height];
  // Above or below the point, so that the box does not cover it.
  const side = down > 50 ? { bottom: `calc(${100 - down}% + 12px)` } : { top: `calc(${down}% + 12px)` };
  return (
    <>
      <svg className="chart-mark" viewBox={`0 0 ${width} ${height}`} aria-hidden="true" data-tone={tone}>
        <line className="chart-tick" x1={x} x2={x} y1={frame.top} y2={height - frame.bottom} />
        <circle cx={x} cy={y} r="6" />
      </svg>
      {pointText && (
        <ChartTip pointText={pointText} style={{ ...side, left: across, translate: `-${across}` }} />
      )}
    </>
  );
}

/** Height of a line of text. */
const LINE = 14;
const TICK_WIDTH = 72;
const HALF_A_TICK = 28;

export interface Tick {
  at: number;
  text: string;
}

export interface DrawingProps {
  /** Ascending; at least one. */
  points: readonly Point[];
  span: Span;
  scale: Scale;
  levels: TimelineLook['levels'];
  zones?: TimelineLook['zones'] | undefined;
  /** Ticks of the time axis, at most `most`. */
  ticks: (most: number) => readonly Tick[];
  /** Marks the last point: filled if it is final, hollow if it may change. */
  end?: 'final' | 'moving' | undefined;
  frame: Frame;
}

/** Axis, levels and line. Renders again only if its content or size changes. */
export const Drawing = memo(function Drawing(props: DrawingProps) {
  const { points, span, scale, levels, zones = [], ticks, end, frame } = props;
  const floor = frame.height - frame.bottom;
  const right = frame.width - frame.right;
  const last = points.at(-1);
  const drawn = thinned(points, span, frame);
  const most = Math.floor((right - frame.left) / TICK_WIDTH);
  return (
    <svg viewBox={`0 0 ${frame.width} ${frame.height}`} aria-hidden="true">
      {zones.map(({ from, to, text, tone }) => {
        const y = valueToY(to, scale, frame);
        const height = valueToY(from, scale, frame) - y;
        const lines = frame.right === ZONE_NAMES ? [text] : text.split(' ');
        return (
          <g key={from} className="chart-zone" data-tone={tone}>
            <rect x={frame.left} y={y} width={right - frame.left} height={height} />
            {frame.right !== MARGINS.right && (
              <text y={y + height / 2 + 4 - (lines.length - 1) * (LINE / 2)}>
                {lines.map((line, index) => (
                  <tspan key={line} x={right + 10} dy={index && LINE}>
                    {line}
                  </tspan>
                ))}
              </text>
            )}
          </g>
        );
      })}
      {levels.map((level) => {
        const y = valueToY(level.value, scale, frame);
        return (
          <g key={level.value}>
            <line
              className={level.dashed ? 'chart-reference' : 'chart-edge'}
              x1={frame.left}
              x2={right}
              y1={y}
              y2={y}
            />
            <text x={frame.left - 8} y={y + 4} textAnchor="end">
              {level.text}
            </text>
          </g>
        );
      })}
      {ticks(most).map((tick) => {
        const x = timeToX(tick.at, span, frame);
        // The first text may reach left of the axis, where there is space below the texts of the levels.
        const anchor = x > frame.width - HALF_A_TICK ? 'end' : 'middle';
        return (
          <g key={tick.at}>
            <line className="chart-tick" x1={x} x2={x} y1={floor} y2={floor + 5} />
            <text x={x} y={frame.height - 8} textAnchor={anchor}>
              {tick.text}
            </text>
          </g>
        );
      })}
      <path className="chart-line" d={linePath(drawn, span, scale, frame)} />
      {end && last && (
        <circle
          className={`chart-end chart-end-${end}`}
          cx={timeToX(last.at, span, frame)}
          cy={valueToY(last.value, scale, frame)}
          r="6"
        />
      )}
    </svg>
  );
});

/** Pixels in a unit of a drawing: one at the usual size of text, two if the visitor has doubled it. */
const textUnit = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

interface Size {
  width: number;
  height: number;
}

/** The size of the element of `ref` in CSS pixels, without its border; 0 until it is in the page. */
export function useSize<E extends Element>(): [RefObject<E | null>, Size] {
  const ref = useRef<E>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });

  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  return [ref, size];
}
