import { describe, expect, test } from 'vitest';
import { linePath, nearestPoint, type Point, thinned, timeToX, valueToY, xToTime } from './geometry.ts';

const frame = { width: 240, height: 140, left: 30, right: 10, top: 10, bottom: 30 };
const points = [
  { at: 1000, value: 0 },
  { at: 2000, value: 50 },
  { at: 5000, value: 100 },
];
const span = { from: 1000, to: 5000 };
const scale = { low: 0, high: 100 };

test('maps time to the width and values to the height from the bottom', () => {
  expect(timeToX(1000, span, frame)).toBe(30);
  expect(timeToX(5000, span, frame)).toBe(230);
  expect(xToTime(230, span, frame)).toBe(5000);
  expect(xToTime(80, span, frame)).toBe(2000);
  expect(valueToY(0, scale, frame)).toBe(110);
  expect(valueToY(100, scale, frame)).toBe(10);
  expect(valueToY(6700, { low: 6600, high: 6800 }, frame)).toBe(60);
});

test('draws the line through every point in order', () => {
  expect(linePath(points, span, scale, frame)).toBe('M30.0 110.0L80.0 60.0L230.0 10.0');
  expect(linePath([], span, scale, frame)).toBe('');
});

test('centres a single point between two days', () => {
  expect(timeToX(86_400_000, { from: 86_400_000, to: 86_400_000 }, frame)).toBe(130);
});

test('finds the nearest point by time, also beyond the ends', () => {
  expect([0, 1400, 1600, 3400, 3600, 9000].map((at) => nearestPoint(points, at))).toEqual([0, 0, 1, 1, 2, 2]);
  expect(nearestPoint([], 5)).toBe(-1);
  expect(nearestPoint(points.slice(0, 1), 5)).toBe(0);
});

describe('a line of more points than pixels', () => {
  const wide = { ...frame, width: 1000 };
  /** A year of hourly values in a random walk, with two spikes of a single hour. */
  const hours = Array.from({ length: 8760 }, (_, hour) => ({
    at: hour * 3_600_000,
    value: hour === 5003 ? 100 : hour === 2222 ? 0 : 50 + 30 * Math.sin(hour / 300) + ((hour * 7919) % 13),
  }));
  const year = { from: 0, to: 8759 * 3_600_000 };

  function byColumn(drawn: readonly Point[]): Map<number, Point[]> {
    const columns = new Map<number, Point[]>();
    for (const point of drawn) {
      const column = Math.floor(timeToX(point.at, year, wide));
      columns.set(column, [...(columns.get(column) ?? []), point]);
    }
    return columns;
  }

  test('keep the first, last, lowest and highest of each column of pixels', () => {
    const drawn = byColumn(thinned(hours, year, wide));
    const all = byColumn(hours);
    expect(all.size).toBe(961);
    expect([...drawn.keys()]).toEqual([...all.keys()]);
    for (const [column, points] of all) {
      const kept = drawn.get(column) ?? [];
      const values = points.map(({ value }) => value);
      expect(kept.length).toBeLessThanOrEqual(4);
      expect(kept[0]).toBe(points[0]);
      expect(kept.at(-1)).toBe(points.at(-1));
      expect(kept).toContainEqual(expect.objectContaining({ value: Math.min(...values) }));
      expect(kept).toContainEqual(expect.objectContaining({ value: Math.max(...values) }));
    }
  });

  test('are reduced to points of the line, in order and without duplicates', () => {
    const drawn = thinned(hours, year, wide);
    const places = drawn.map((point) => hours.indexOf(point));
    expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    expect(places).toEqual(expect.arrayContaining([0, 2222, 5003, 8759]));
    expect(drawn.length).toBeLessThanOrEqual(4 * 961);
  });

  test('at one time are reduced to first, last, lowest and highest', () => {
    const instant = { from: 7, to: 7 };
    const heap = Array.from({ length: 1000 }, (_, at) => ({
      at: 7,
      value: at === 300 ? -5 : at === 100 ? 500 : at % 90,
    }));
    expect(thinned(heap, instant, frame)).toEqual([heap[0], heap[100], heap[300], heap[999]]);
  });
});

test('draws all points if there are at most as many points as pixels', () => {
  const few = Array.from({ length: 200 }, (_, at) => ({ at: at * at, value: (at * 37) % 100 }));
  expect(thinned(few, { from: 0, to: 199 * 199 }, frame)).toBe(few);
  expect(thinned([], span, frame)).toEqual([]);
});
