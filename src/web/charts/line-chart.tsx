import './charts.css';
import { memo, type ReactNode, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { TimelineLook } from '#views/timeline-view.ts';
import { ChartWalk, type PointText } from './chart-walk.tsx';
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
  /** Width (in units of the drawing) reserved for the texts of the levels, left of the chart. */
  left: number;
  /** Called with the index of a point that was clicked or reached by a finger or by keys. */
  onPick?: (index: number) => void;
  /** The index of a point that stays marked while none is chosen; -1 for none. */
  picked?: number;
}

/**
 * A line over time. Pointer and arrow keys move along it; assistive technology gets a slider. Pass props
 * of stable identity (`useMemo`), because each new object draws the chart again.
 */
export function LineChart<P extends Point>(props: LineChartProps<P>): ReactNode {
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
  const point = points[place];
  const pointText = point && describe(point, place);
  const marked = chosen === null ? points[picked] : undefined;
  const positionOf = ({ at, value }: Point) => ({
    x: timeToX(at, span, frame),
    y: valueToY(value, scale, frame),
    frame,
  });

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
        {chosen !== null && point && pointText && width > 0 && (
          <ChartTip pointText={pointText} {...positionOf(point)} />
        )}
        {marked && width > 0 && (
          <svg
            className="chart-picked"
            viewBox={`0 0 ${width} ${height}`}
            aria-hidden="true"
            data-tone={describe(marked, picked).tone}
          >
            <Mark {...positionOf(marked)} />
          </svg>
        )}
      </ChartWalk>
    </figure>
  );
}

const TIP_WIDTH = 178;
const TIP_HEIGHT = 54;
/** Height of the box if it shows a change. */
const TIP_HEIGHT_WITH_CHANGE = 72;
const AWAY = 12;
const PADDING = 12;
/** Width of a character of a change, on average at most. */
const CHANGE_CHARACTER = 6.7;

interface MarkProps {
  /** Position of the point, in units of the drawing. */
  x: number;
  y: number;
  /** Size of the chart. */
  frame: Frame;
}

/** A dot at a point, and a line through it. */
function Mark({ x, y, frame }: MarkProps) {
  return (
    <>
      <line className="chart-tick" x1={x} x2={x} y1={frame.top} y2={frame.height - frame.bottom} />
      <circle cx={x} cy={y} r="6" />
    </>
  );
}

interface ChartTipProps extends MarkProps {
  pointText: PointText;
}

/** The chosen point with its day, value, note and change, in a box that stays inside the chart. */
export function ChartTip({ pointText, x, y, frame }: ChartTipProps) {
  const { width, height } = frame;
  const { change } = pointText;
  const boxWidth = Math.max(TIP_WIDTH, 2 * PADDING + CHANGE_CHARACTER * (change?.length ?? 0));
  const boxHeight = change == null ? TIP_HEIGHT : TIP_HEIGHT_WITH_CHANGE;
  const left = x + AWAY + boxWidth <= width ? x + AWAY : Math.max(0, x - AWAY - boxWidth);
  // Below the point if there is too little space above it, so that the box does not cover it.
  const above = y - boxHeight - AWAY;
  const top = above >= 0 ? above : Math.max(0, Math.min(y + AWAY, height - boxHeight));
  return (
    <svg
      className="chart-tip"
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
      data-tone={pointText.tone}
    >
      <Mark x={x} y={y} frame={frame} />
      <rect x={left} y={top} width={boxWidth} height={boxHeight} rx="8" />
      <text x={left + PADDING} y={top + 22}>
        {pointText.dateText}
      </text>
      <text className="chart-tip-value" x={left + PADDING} y={top + 42}>
        {pointText.text} <tspan className="chart-tip-note">{pointText.note}</tspan>
      </text>
      {change != null && (
        <text x={left + PADDING} y={top + 60}>
          {change}
        </text>
      )}
    </svg>
  );
}

/** Height of a line of text. */
const LINE = 14;
const TICK_WIDTH = 58;
const HALF_A_TICK = 28;

export interface Tick {
  at: number;
  text: string;
}

export interface DrawingProps {
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
  const namedZones = frame.right === MARGINS.right ? [] : zones;
  const most = Math.floor((right - frame.left) / TICK_WIDTH);
  return (
    <svg viewBox={`0 0 ${frame.width} ${frame.height}`} aria-hidden="true">
      {zones.map(({ from, to, tone }) => {
        const y = valueToY(to, scale, frame);
        const height = valueToY(from, scale, frame) - y;
        return (
          <g key={tone} className="chart-zone" data-tone={tone}>
            <rect x={frame.left} y={y} width={right - frame.left} height={height} />
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
      {namedZones.map(({ from, to, text, tone }) => {
        const middle = valueToY((from + to) / 2, scale, frame);
        const lines = frame.right === ZONE_NAMES ? [text] : text.split(' ');
        return (
          <g key={tone} className="chart-zone" data-tone={tone}>
            <text y={middle + 4 - (lines.length - 1) * (LINE / 2)}>
              {lines.map((line, index) => (
                <tspan key={line} x={right + 10} dy={index && LINE}>
                  {line}
                </tspan>
              ))}
            </text>
          </g>
        );
      })}
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
