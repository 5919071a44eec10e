import { describe, expect, it } from 'vitest';
import { summariseChanges } from './summarise-changes.ts';

const windows = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ week: `week ${at}`, changePercent: at }));

describe('summary of changes', () => {
  it('counts windows that do not overlap', () => {
    expect(summariseChanges(windows(52), 1)).toMatchObject({ count: 52, separate: 52 });
    expect(summariseChanges(windows(31), 4)).toMatchObject({ count: 31, separate: 7 });
    expect(summariseChanges(windows(52), 13)).toMatchObject({ count: 52, separate: 4 });
  });

  it('has a mean from 8 windows that do not overlap on', () => {
    expect(summariseChanges(windows(31), 4).mean).toBeNull();
    expect(summariseChanges(windows(32), 4).mean).toBe(15.5);
  });

  it('names the lowest and the highest change with their weeks', () => {
    const changes = [3, -2, 5].map((changePercent) => ({ week: `week ${changePercent}`, changePercent }));
    expect(summariseChanges(changes, 1)).toEqual({
      count: 3,
      separate: 3,
      mean: null,
      lowest: { week: 'week -2', changePercent: -2 },
      highest: { week: 'week 5', changePercent: 5 },
    });
  });

  it('has no lowest and highest change without windows', () => {
    expect(summariseChanges([], 4)).toEqual({
      ...{ count: 0, separate: 0, mean: null, lowest: null, highest: null },
    });
  });
});
