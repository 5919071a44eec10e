import type { Frame } from './geometry.ts';

const WIDTH = 178;
const HEIGHT = 54;
/** Height of the box if it shows a change. */
const HIGH = 72;
const AWAY = 12;
const PADDING = 12;
/** Width of a character of a change, on average at most. */
const CHARACTER = 6.7;

/** A point in words. */
export interface PointText {
  dateText: string;
  text: string;
  note: string | null;
  /** The change from the point before; null for the first point, and absent in charts without it. */
  change?: string | null;
  /** A tone of the tokens; without a tone, the colour of the line. */
  tone?: string | undefined;
}

interface ChartTipProps {
  pointText: PointText;
  /** Position of the point, in pixels. */
  x: number;
  y: number;
  /** Size of the chart. The box must stay inside it. */
  frame: Frame;
}

/** The chosen point with its day, value, note and change. */
export function ChartTip({ pointText, x, y, frame }: ChartTipProps) {
  const { width, height } = frame;
  const { change } = pointText;
  const boxWidth = Math.max(WIDTH, 2 * PADDING + CHARACTER * (change?.length ?? 0));
  const boxHeight = change == null ? HEIGHT : HIGH;
  const left = x + AWAY + boxWidth <= width ? x + AWAY : Math.max(0, x - AWAY - boxWidth);
  // Below the point if there is too little space above it, so that the box does not cover it.
  const above = y - boxHeight - AWAY;
  const top = above >= 0 ? above : Math.max(0, Math.min(y + AWAY, height - boxHeight));
  return (
    <svg className="chart-tip" width={width} height={height} aria-hidden="true" data-tone={pointText.tone}>
      <line className="chart-tick" x1={x} x2={x} y1={frame.top} y2={height - frame.bottom} />
      <circle cx={x} cy={y} r="5" />
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
