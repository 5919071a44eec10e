import { expect, test } from 'vitest';
import {
  areClose,
  edgeNumberPlace,
  GAUGE,
  gaugeBand,
  gaugeNeedle,
  gaugePoint,
  gaugeTurn,
  withinScale,
} from './gauge-geometry.ts';

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

test('a needle points at its value, symmetrically [S2.19]', () => {
  const path = gaugeNeedle(50, 100, 40, 6);
  expect(path).toBe(`M${x} ${y - 100}L${x + 6} ${y - 40}L${x - 6} ${y - 40}Z`);
});

test('words turn by 1.8 degrees per point from the top', () => {
  expect([0, 50, 62.4].map(gaugeTurn)).toEqual([-90, 0, 22.32].map((turn) => `rotate(${turn} ${x} ${y})`));
});

test('the drawing contains the whole ring', () => {
  expect(x - GAUGE.outer).toBeGreaterThanOrEqual(0);
  expect(x + GAUGE.outer).toBeLessThanOrEqual(GAUGE.width);
  expect(y - GAUGE.outer).toBeGreaterThanOrEqual(0);
  expect(y).toBeLessThanOrEqual(GAUGE.height);
});

test('words are at their needle, within the scale', () => {
  expect([0, 3, 4, 62, 96, 100].map(withinScale)).toEqual([4, 4, 4, 62, 96, 96]);
});

test('needles are close if their words would touch', () => {
  expect(areClose(38, 62, 'now')).toBe(false);
  expect(areClose(72, 62, 'now')).toBe(false);
  expect(areClose(60, 62, 'now')).toBe(true);
  // A date takes more space.
  expect(areClose(72, 62, 'date')).toBe(true);
});

test('no number of a zone is covered by the needle, and their order stays', () => {
  for (let now = 0; now <= 100; now += 0.1) {
    const places = [0, 25, 45, 55, 75, 100].map((edge) => edgeNumberPlace(edge, now));
    expect(Math.min(...places.map((place) => Math.abs(place - now)))).toBeGreaterThan(3.99);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  }
  expect(edgeNumberPlace(45, 60)).toBe(45);
});
