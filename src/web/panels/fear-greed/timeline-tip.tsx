import type { TimelinePoint } from '#views/model.ts';

const WIDTH = 178;
const HEIGHT = 54;
const AWAY = 12;

interface TimelineTipProps {
  point: TimelinePoint;
  /** Where the point is drawn, in pixels. */
  x: number;
  y: number;
  /** Size of the chart the box must stay within. */
  width: number;
  height: number;
}

/** The chosen point with its day, value and label. */
export function TimelineTip({ point, x, y, width, height }: TimelineTipProps) {
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
      <line className="timeline-tick" x1={x} x2={x} y1={10} y2={height - 28} />
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
