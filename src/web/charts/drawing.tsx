import { memo } from 'react';
import {
  clearLeft,
  type Frame,
  linePath,
  type Point,
  type Scale,
  type Span,
  thinned,
  timeToX,
  valueToY,
} from './geometry.ts';

const TICK_WIDTH = 58;
const HALF_A_TICK = 28;
/** Width of a character of a zone's name, on average at most. */
const CHARACTER = 7.4;

export interface Tick {
  at: number;
  text: string;
}

/** A horizontal line and the word beside it. */
export interface Level {
  value: number;
  text: string;
  dashed: boolean;
}

/** A named part of the scale, drawn behind the line. */
export interface Zone {
  from: number;
  to: number;
  text: string;
  /** A tone of the tokens. */
  tone: string;
}

export interface DrawingProps {
  points: readonly Point[];
  span: Span;
  scale: Scale;
  levels: readonly Level[];
  zones?: readonly Zone[] | undefined;
  /** Ticks of the time axis, at most `most`. */
  ticks: (most: number) => readonly Tick[];
  /** Marks the last point: filled if it is final, hollow if it may change. */
  end?: 'final' | 'moving' | undefined;
  frame: Frame;
}

/** Axis, levels and line. Renders again only if its content or size changes. */
export const Drawing = memo(function Drawing({
  points,
  span,
  scale,
  levels,
  zones = [],
  ticks,
  end,
  frame,
}: DrawingProps) {
  const floor = frame.height - frame.bottom;
  const right = frame.width - frame.right;
  const last = points.at(-1);
  const drawn = thinned(points, span, frame);
  const line = drawn.map(({ at, value }) => ({
    x: timeToX(at, span, frame),
    y: valueToY(value, scale, frame),
  }));
  const most = Math.floor((right - frame.left) / TICK_WIDTH);
  return (
    <svg
      width={frame.width}
      height={frame.height}
      viewBox={`0 0 ${frame.width} ${frame.height}`}
      aria-hidden="true"
    >
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
      {zones.map(({ from, to, text, tone }) => {
        const middle = valueToY((from + to) / 2, scale, frame);
        const box = { left: frame.left + 8, top: middle - 10, width: CHARACTER * text.length, height: 20 };
        return (
          <g key={tone} className="chart-zone" data-tone={tone}>
            <text x={clearLeft(line, box, right)} y={middle + 4}>
              {text}
            </text>
          </g>
        );
      })}
      {end && last && (
        <circle
          className={`chart-end chart-end-${end}`}
          cx={timeToX(last.at, span, frame)}
          cy={valueToY(last.value, scale, frame)}
          r="4"
        />
      )}
    </svg>
  );
});
