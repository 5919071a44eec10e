import { weeksAfter } from '../calendar/iso-week.ts';
import { mean } from '../statistics.ts';

/** Minimum number of non-overlapping windows for a mean. */
export const ENOUGH_WINDOWS = 8;

/** The change of the S&P 500 over the window of one week. */
export interface WindowChange {
  /** The Monday of the week, `YYYY-MM-DD`. */
  readonly week: string;
  /** `YYYY-MM-DD`. */
  readonly entrySession: string;
  readonly exitSession: string;
  /** Percent of the entry close. */
  readonly changePercent: number;
}

/** Counts windows that do not overlap, greedily: always the next one that begins at or after the end of the last one. */
function countSeparate(changes: readonly WindowChange[]): number {
  let end = '';
  let count = 0;
  for (const { entrySession, exitSession } of changes) {
    if (entrySession < end) continue;
    count += 1;
    end = exitSession;
  }
  return count;
}

function countSpells(changes: readonly WindowChange[]): number {
  return changes.filter(({ week }, at) => {
    const before = changes[at - 1];
    return before === undefined || week > weeksAfter(before.week, 1);
  }).length;
}

/** The mean change in percent; NaN without windows. */
export function meanChange(changes: readonly WindowChange[]): number {
  return mean(changes.map(({ changePercent }) => changePercent));
}

/**
 * The changes over windows of equal length: their number, those that do not overlap, uninterrupted series of weeks,
 * mean (percent; null below 8 separate windows), lowest and highest.
 */
export function summariseChanges(changes: readonly WindowChange[]) {
  const separate = countSeparate(changes);
  const sorted = changes.toSorted((a, b) => a.changePercent - b.changePercent);
  return {
    count: changes.length,
    separate,
    spells: countSpells(changes),
    mean: separate >= ENOUGH_WINDOWS ? meanChange(changes) : null,
    lowest: sorted[0] ?? null,
    highest: sorted.at(-1) ?? null,
  };
}
