import { describe, expect, it } from 'vitest';
import { formatDay } from '../calendar/days.ts';
import { summariseChanges, type WindowChange } from './summarise-changes.ts';

/** A Monday. */
const FIRST = 18_266;

/** Windows of `horizon` weeks after the weeks with these numbers. */
const windows = (weeks: readonly number[], horizon: number): WindowChange[] =>
  weeks.map((week) => ({
    week: formatDay(FIRST + 7 * week),
    entrySession: formatDay(FIRST + 7 * (week + 1)),
    exitSession: formatDay(FIRST + 7 * (week + 1 + horizon)),
    changePercent: week,
  }));
const first = (count: number) => Array.from({ length: count }, (_, week) => week);

describe('summary of changes', () => {
  it('counts windows that do not overlap', () => {
    expect(summariseChanges(windows(first(52), 1))).toMatchObject({ count: 52, separate: 52 });
    expect(summariseChanges(windows(first(28), 4))).toMatchObject({ count: 28, separate: 7 });
    expect(summariseChanges(windows(first(52), 13))).toMatchObject({ count: 52, separate: 4 });
  });

  it('counts windows of weeks that lie far apart as not overlapping', () => {
    expect(summariseChanges(windows([0, 4, 8, 12], 4))).toMatchObject({ count: 4, separate: 4, spells: 4 });
    expect(summariseChanges(windows([0, 3, 6, 7], 4))).toMatchObject({ count: 4, separate: 2, spells: 3 });
  });

  it('has a mean from 8 windows that do not overlap on', () => {
    expect(summariseChanges(windows(first(28), 4)).mean).toBeNull();
    expect(summariseChanges(windows(first(29), 4)).mean).toBe(14);
  });

  it('names the lowest and the highest change with their weeks', () => {
    const changes = windows([2, 3, 5], 1).map((window) => ({
      ...window,
      changePercent: 4 - window.changePercent,
    }));
    expect(summariseChanges(changes)).toEqual({
      count: 3,
      separate: 3,
      spells: 2,
      mean: null,
      lowest: changes[2],
      highest: changes[0],
    });
  });

  it('has no lowest and highest change without windows', () => {
    expect(summariseChanges([])).toEqual({
      ...{ count: 0, separate: 0, spells: 0, mean: null, lowest: null, highest: null },
    });
  });
});
