import type { TimelinePoint } from '#views/model.ts';
import type { Frame } from './timeline-geometry.ts';

const WIDTH = 178;
const HEIGHT = 54;
const AWAY = 12;

interface TimelineTipProps {
  point: TimelinePoint;
  /** Where the point is drawn, in pixels. */
  x: number;
  y: number;
  /** The chart, which the box must stay within. */
  frame: Frame;
}

/** The chosen point with its day, value and label. */
export function TimelineTip({ point, x, y, frame }: TimelineTipProps) {
  const { width, height } = frame;
  const left = x + AWAY + WIDTH <= width ? x + AWAY : Math.max(0, x - AWAY - WIDTH);
  const top = Math.max(0, y - HEIGHT - AWAY);
  return (
    <svg
      className="timeline-tip"
      width={width}
      height={height}
      aria-hidden="true"
      data-tone={`zone-${point.zone}`}
    >
      <line className="timeline-tick" x1={x} x2={x} y1={frame.top} y2={height - frame.bottom} />
      <circle cx={x} cy={y} r="5" />
      <rect x={left} y={top} width={WIDTH} height={HEIGHT} rx="8" />
      <text x={left + 12} y={top + 22}>
        {point.dateText}
      </text>
      <text className="timeline-tip-value" x={left + 12} y={top + 42}>
        {point.text} <tspan className="timeline-tip-label">{point.label}</tspan>
      </text>
    </svg>
  );
}
