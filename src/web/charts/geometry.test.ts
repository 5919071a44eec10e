import { expect, test } from 'vitest';
import { linePath, nearestPoint, timeToX, valueToY, xToTime } from './geometry.ts';

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
  expect(nearestPoint(points.slice(0, 1), 5)).toBe(0);
});
