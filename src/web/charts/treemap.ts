export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/**
 * Divides a box into one box per weight, in the same order, with areas in proportion to the weights (Bruls, Huizing and van
 * Wijk, "Squarified treemaps", 2000). Expects positive weights, the largest first. Each row of boxes stands along the
 * shorter side of the rest, and ends before a further box would make its worst ratio of sides worse.
 */
export function squarify(weights: readonly number[], box: Box): Box[] {
  const boxes: Box[] = [];
  let rest = box;
  let restWeight = weights.reduce((sum, weight) => sum + weight, 0);
  for (let from = 0; from < weights.length; ) {
    const side = Math.min(rest.width, rest.height);
    const perWeight = (rest.width * rest.height) / restWeight;
    const { to, sum } = rowFrom(weights, from, perWeight / side ** 2);
    const isColumn = rest.width > rest.height;
    // The last row takes all of the rest, whatever the rounding errors.
    const depth = to === weights.length ? (isColumn ? rest.width : rest.height) : (sum * perWeight) / side;
    let along = 0;
    for (const weight of weights.slice(from, to)) {
      const length = (side * weight) / sum;
      boxes.push(
        isColumn
          ? { left: rest.left, top: rest.top + along, width: depth, height: length }
          : { left: rest.left + along, top: rest.top, width: length, height: depth },
      );
      along += length;
    }
    rest = isColumn
      ? { ...rest, left: rest.left + depth, width: rest.width - depth }
      : { ...rest, top: rest.top + depth, height: rest.height - depth };
    restWeight -= sum;
    from = to;
  }
  return boxes;
}

/** The end of the row that begins at `from`, and its weight. `share` is area per weight, in squares of the side. */
function rowFrom(weights: readonly number[], from: number, share: number): { to: number; sum: number } {
  const largest = weights[from] ?? 0;
  let sum = 0;
  let worst = Number.POSITIVE_INFINITY;
  let to = from;
  for (; to < weights.length; to += 1) {
    const weight = weights[to] ?? 0;
    const square = (sum + weight) ** 2 * share;
    const ratio = Math.max(square / weight, largest / square);
    if (ratio > worst) break;
    worst = ratio;
    sum += weight;
  }
  return { to, sum };
}
