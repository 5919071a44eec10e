import { expect, test } from 'vitest';
import { barsOf } from '#tests/support/bars.ts';
import { quoteStocks } from './quotes.ts';

const quote = (
  closes: Parameters<typeof barsOf>[0],
  {
    isOpen = false,
    leftOut = '',
    volumes = {},
  }: { isOpen?: boolean; leftOut?: string; volumes?: Record<string, number> } = {},
) =>
  quoteStocks(barsOf(closes, { volumes }), { isOpen, isLeftOut: (symbol) => symbol === leftOut }).map(
    ({ symbol, changePercent, weight, volume }) => [symbol, changePercent, weight, volume],
  );

test('quotes the change, the average value traded and the volume of each stock', () => {
  expect(
    quote(
      { UP: [100, 110], SAME: [50, 50], NEW: [null, 10], GONE: [20, null], NEVER: [null, null] },
      {
        volumes: { UP: 1_234_567, SAME: 0, NEW: 2e6, GONE: 1e6 },
      },
    ),
  ).toEqual([
    ['UP', 10, 130, 1.23],
    ['SAME', 0, 0, 0],
    ['NEW', null, 20, 2],
    ['GONE', null, 20, null],
    ['NEVER', null, null, null],
  ]);
  expect(quote({})).toEqual([]);
});

test('averages twenty closed sessions', () => {
  const closes = [1000, ...Array<number>(20).fill(1), 7];
  const volumes = { A: 1e6 };
  expect(quote({ A: closes }, { isOpen: true, volumes })).toEqual([['A', 600, 1, 1]]);
  expect(quote({ A: closes }, { volumes })).toEqual([['A', 600, 1.3, 1]]);
});

test('has no change for an implausible move, nor for a first session', () => {
  expect(quote({ A: [1, 10] }, { leftOut: 'A' })[0]?.[1]).toBeNull();
  expect(quote({ A: [5] })[0]?.[1]).toBeNull();
});
