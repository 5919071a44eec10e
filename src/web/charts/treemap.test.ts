import { expect, it } from 'vitest';
import { noise } from '#tests/support/bars.ts';
import { type Box, squarify } from './treemap.ts';

const BOX: Box = { left: 10, top: 20, width: 600, height: 400 };
const AREA = BOX.width * BOX.height;

it('divides a box as the example of the paper does', () => {
  const boxes = squarify([6, 6, 4, 3, 2, 2, 1], { left: 0, top: 0, width: 6, height: 4 });
  expect(
    boxes.map(({ left, top, width, height }) => [left, top, width, height].map((n) => Number(n.toFixed(2)))),
  ).toEqual([
    [0, 0, 3, 2],
    [0, 2, 3, 2],
    [3, 0, 1.71, 2.33],
    [4.71, 0, 1.29, 2.33],
    [3, 2.33, 1.2, 1.67],
    [4.2, 2.33, 1.2, 1.67],
    [5.4, 2.33, 0.6, 1.67],
  ]);
});

const random = noise(7);
const cases: [name: string, weights: number[]][] = [
  ['a single stock', [5]],
  ['equal weights', Array<number>(503).fill(1)],
  ['3,000 stocks', Array.from({ length: 3_000 }, () => Math.exp(8 * random()))],
  ['one weight far above the others', [1e9, ...Array<number>(99).fill(1)]],
];

it.each(cases)('gives %s areas in proportion, inside the box and without an overlap', (_, weights) => {
  const sorted = weights.toSorted((a, b) => b - a);
  const total = sorted.reduce((sum, weight) => sum + weight, 0);
  const boxes = squarify(sorted, BOX);
  expect(boxes).toHaveLength(sorted.length);
  const wrong = boxes.filter(({ left, top, width, height }, index) => {
    const isInside =
      left > BOX.left - 1e-6 &&
      top > BOX.top - 1e-6 &&
      left + width < BOX.left + BOX.width + 1e-6 &&
      top + height < BOX.top + BOX.height + 1e-6;
    const wanted = (AREA * (sorted[index] ?? 0)) / total;
    return !isInside || Math.abs(width * height - wanted) > 1e-6 * AREA;
  });
  expect(wrong).toEqual([]);
  const overlaps = boxes
    .slice(0, 600)
    .some((one, index) =>
      boxes
        .slice(index + 1, 600)
        .some(
          (other) =>
            Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left) >
              1e-6 &&
            Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top) > 1e-6,
        ),
    );
  expect(overlaps).toBe(false);
});

it('gives a box without an area to each weight if there is no space, and none without weights', () => {
  const boxes = squarify([2, 1], { ...BOX, width: 0 });
  expect(boxes.map(({ width }) => width)).toEqual([0, 0]);
  expect(squarify([], BOX)).toEqual([]);
});
