/** Minimum number of non-overlapping windows for a mean. */
export const ENOUGH_WINDOWS = 8;

/** The change of the S&P 500 over the window of one week. */
export interface WindowChange {
  /** The Monday of the week, `YYYY-MM-DD`. */
  readonly week: string;
  /** Percent. */
  readonly changePercent: number;
}

/** The summary of the windows of one horizon. */
export interface ChangeSummary {
  /** Number of windows. They overlap where the horizon is longer than a week. */
  readonly count: number;
  /** Number of non-overlapping windows among them: `count` divided by the horizon in weeks, rounded down. */
  readonly separate: number;
  /** Percent; null below 8 non-overlapping windows. */
  readonly mean: number | null;
  /** The lowest and the highest change; null without windows. */
  readonly lowest: WindowChange | null;
  readonly highest: WindowChange | null;
}

/** Summarises the changes over windows of `horizonWeeks` weeks each. */
export function summariseChanges(changes: readonly WindowChange[], horizonWeeks: number): ChangeSummary {
  const count = changes.length;
  const separate = Math.floor(count / horizonWeeks);
  const sorted = changes.toSorted((a, b) => a.changePercent - b.changePercent);
  const sum = changes.reduce((total, { changePercent }) => total + changePercent, 0);
  return {
    count,
    separate,
    mean: separate >= ENOUGH_WINDOWS ? sum / count : null,
    lowest: sorted[0] ?? null,
    highest: sorted.at(-1) ?? null,
  };
}
