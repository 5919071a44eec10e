/** Instants are epoch milliseconds, distances pixels of the drawing. */
export interface Point {
  at: number;
  value: number;
}

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Span {
  from: number;
  to: number;
}

/** The values at the bottom and the top edge. */
export interface Scale {
  low: number;
  high: number;
}

const DAY = 86_400_000;

/** Times of the left and right edge. A range of length zero gets a day on each side. */
function nonEmptySpan({ from, to }: Span): Span {
  return to > from ? { from, to } : { from: from - DAY, to: to + DAY };
}

export function timeToX(at: number, span: Span, frame: Frame): number {
  const { from, to } = nonEmptySpan(span);
  const inner = frame.width - frame.left - frame.right;
  return frame.left + (inner * (at - from)) / (to - from);
}

export function xToTime(x: number, span: Span, frame: Frame): number {
  const { from, to } = nonEmptySpan(span);
  const inner = frame.width - frame.left - frame.right;
  return from + ((to - from) * (x - frame.left)) / inner;
}

export function valueToY(value: number, { low, high }: Scale, frame: Frame): number {
  const inner = frame.height - frame.top - frame.bottom;
  return frame.top + (inner * (high - value)) / (high - low);
}

export function linePath(points: readonly Point[], span: Span, scale: Scale, frame: Frame): string {
  let path = '';
  for (const point of points) {
    const x = timeToX(point.at, span, frame).toFixed(1);
    path += `${path === '' ? 'M' : 'L'}${x} ${valueToY(point.value, scale, frame).toFixed(1)}`;
  }
  return path;
}

/** Index of the point nearest to a time. Expects at least one point. */
export const nearestPoint = (points: readonly Point[], at: number): number =>
  points.reduce((best, point, index) => {
    const distance = Math.abs(point.at - at);
    return distance < Math.abs((points[best] ?? point).at - at) ? index : best;
  }, 0);
