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

/** The visible points of one column of pixels: the first, the last and both extremes. */
function outline<P extends Point>(column: readonly P[]): readonly P[] {
  if (column.length <= 4) return column;
  let low = 0;
  let high = 0;
  column.forEach(({ value }, index) => {
    if (value < (column[low]?.value ?? value)) low = index;
    if (value > (column[high]?.value ?? value)) high = index;
  });
  const kept = new Set([0, Math.min(low, high), Math.max(low, high), column.length - 1]);
  return [...kept].flatMap((index) => column[index] ?? []);
}

/**
 * Reduces ascending points to those that draw the same line. If there are more points than columns of pixels, keeps at
 * most four per column, including its lowest and highest, so that no extreme is lost. Returns fewer points unchanged.
 */
export function thinned<P extends Point>(points: readonly P[], span: Span, frame: Frame): readonly P[] {
  if (points.length <= frame.width - frame.left - frame.right) return points;
  const kept: P[] = [];
  let column: P[] = [];
  let place = Number.NaN;
  for (const point of points) {
    const x = Math.floor(timeToX(point.at, span, frame));
    if (x !== place) {
      kept.push(...outline(column));
      column = [];
      place = x;
    }
    column.push(point);
  }
  kept.push(...outline(column));
  return kept;
}

/** The path through all points. */
export function linePath(points: readonly Point[], span: Span, scale: Scale, frame: Frame): string {
  let path = '';
  for (const point of points) {
    const x = timeToX(point.at, span, frame).toFixed(1);
    path += `${path === '' ? 'M' : 'L'}${x} ${valueToY(point.value, scale, frame).toFixed(1)}`;
  }
  return path;
}

/** Index of the point nearest to a time, by binary search; -1 without points. */
export function nearestPoint(points: readonly Point[], at: number): number {
  let low = 0;
  let high = points.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.at ?? 0) <= at) low = middle;
    else high = middle;
  }
  const before = points[low];
  const after = points[high];
  if (before === undefined || after === undefined) return -1;
  return Math.abs(after.at - at) < Math.abs(before.at - at) ? high : low;
}
