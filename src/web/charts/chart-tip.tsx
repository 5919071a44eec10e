import type { Frame } from './geometry.ts';

const WIDTH = 178;
const HEIGHT = 54;
const AWAY = 12;

/** A point in words. */
export interface PointText {
  dateText: string;
  text: string;
  note: string | null;
  /** A tone of the tokens; the line's own colour without one. */
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

/** The chosen point with its day, value and note. */
export function ChartTip({ pointText, x, y, frame }: ChartTipProps) {
  const { width, height } = frame;
  const left = x + AWAY + WIDTH <= width ? x + AWAY : Math.max(0, x - AWAY - WIDTH);
  const top = Math.max(0, y - HEIGHT - AWAY);
  return (
    <svg className="chart-tip" width={width} height={height} aria-hidden="true" data-tone={pointText.tone}>
      <line className="chart-tick" x1={x} x2={x} y1={frame.top} y2={height - frame.bottom} />
      <circle cx={x} cy={y} r="5" />
      <rect x={left} y={top} width={WIDTH} height={HEIGHT} rx="8" />
      <text x={left + 12} y={top + 22}>
        {pointText.dateText}
      </text>
      <text className="chart-tip-value" x={left + 12} y={top + 42}>
        {pointText.text} <tspan className="chart-tip-note">{pointText.note}</tspan>
      </text>
    </svg>
  );
}
