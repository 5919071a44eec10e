import { expect, test } from 'vitest';
import { GAUGE, gaugeBand, gaugeNeedle, gaugePoint } from './gauge-geometry.ts';

const { x, y } = GAUGE.centre;

test('places 0 left, 50 at the top and 100 right', () => {
  expect(gaugePoint(0, 100)).toEqual({ x: x - 100, y: expect.closeTo(y, 9) });
  expect(gaugePoint(50, 100)).toEqual({ x: expect.closeTo(x, 9), y: y - 100 });
  expect(gaugePoint(100, 100)).toEqual({ x: x + 100, y });
});

test('a band starts and ends exactly on its edges', () => {
  const edge = gaugePoint(25, GAUGE.outer);
  const corner = `${edge.x} ${edge.y}`;
  expect(gaugeBand(0, 25)).toContain(` ${corner}L`);
  expect(gaugeBand(25, 45).startsWith(`M${corner}A`)).toBe(true);
});

test('a needle points at its value, symmetrically', () => {
  const path = gaugeNeedle(50, 100, 40, 6);
  expect(path).toBe(`M${x} ${y - 100}L${x + 6} ${y - 40}L${x - 6} ${y - 40}Z`);
});

test('the drawing contains the whole ring', () => {
  expect(x - GAUGE.outer).toBeGreaterThanOrEqual(0);
  expect(x + GAUGE.outer).toBeLessThanOrEqual(GAUGE.width);
  expect(y - GAUGE.outer).toBeGreaterThanOrEqual(0);
  expect(y).toBeLessThanOrEqual(GAUGE.height);
});
