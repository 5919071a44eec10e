/** A fall from a high to a later low. */
export interface Fall {
  /** Index of the high. */
  readonly from: number;
  /** Index of the low. */
  readonly to: number;
  /** Percent of the high, below zero. */
  readonly changePercent: number;
}

/** The largest fall between two indices, both included; null if no value is below an earlier one. */
function largestFall(closes: readonly number[], first: number, last: number): Fall | null {
  let high = first;
  let worst: Fall | null = null;
  for (let at = first; at <= last; at += 1) {
    const [top = Number.NaN, close = Number.NaN] = [closes[high], closes[at]];
    if (close >= top) high = at;
    const changePercent = (close / top - 1) * 100;
    if (changePercent < (worst?.changePercent ?? 0)) worst = { from: high, to: at, changePercent };
  }
  return worst;
}

/**
 * The largest falls of closes above zero, at most `most`, largest first. None overlaps a larger one or is below
 * `leastPercent`.
 */
export function worstFalls(closes: readonly number[], most: number, leastPercent: number): Fall[] {
  const found: Fall[] = [];
  let parts = [{ first: 0, last: closes.length - 1 }];
  while (found.length < most) {
    const falls = parts.flatMap((part) => {
      const fall = largestFall(closes, part.first, part.last);
      return fall === null || fall.changePercent > -leastPercent ? [] : [{ part, fall }];
    });
    const [worst] = falls.toSorted((a, b) => a.fall.changePercent - b.fall.changePercent);
    if (worst === undefined) break;
    const { part, fall } = worst;
    found.push(fall);
    parts = parts.flatMap((one) =>
      one === part
        ? [
            { first: part.first, last: fall.from },
            { first: fall.to, last: part.last },
          ]
        : [one],
    );
  }
  return found;
}
