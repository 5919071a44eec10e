import { expect, test } from 'vitest';
import { ticksWithRoom } from './history-chart.tsx';

const year = Array.from({ length: 12 }, (_, month) => ({ at: Date.UTC(2025, 11 + month, 1, 5) }));
const months = (most: number) => ticksWithRoom(year, most).map((tick) => new Date(tick.at).getUTCMonth());

test('keeps all months if they fit', () => {
  expect(months(12)).toHaveLength(12);
});

test('keeps every second, third, sixth or twelfth month if there is less space [S2.22]', () => {
  expect(months(6)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(months(4)).toEqual([0, 3, 6, 9]);
  expect(months(3)).toEqual([0, 6]);
  expect(months(1)).toEqual([0]);
});

test('keeps as many years as fit if a wrong date spans centuries', () => {
  const centuries = Array.from({ length: 12_000 }, (_, month) => ({ at: Date.UTC(2026, month, 1, 5) }));
  expect(ticksWithRoom(centuries, 10)).toHaveLength(10);
  expect(ticksWithRoom(centuries, 0)).toHaveLength(1);
});

test('keeps an empty list empty', () => {
  expect(ticksWithRoom([], 5)).toEqual([]);
});
