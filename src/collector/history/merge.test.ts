import { expect, it } from 'vitest';
import { barsOf } from '#tests/support/bars.ts';
import { barsOfMembers, compareBars, mergeHistories } from './merge.ts';

const [FIRST, SECOND] = ['2020-01-02', '2020-01-03'];
const held = {
  sessions: [FIRST, SECOND],
  series: { vix_close: Float64Array.of(14, 15) },
  bars: { ...barsOf({ AAA: [10, 20], BBB: [5, 6] }), sessions: [FIRST, SECOND] },
  universe: 'held',
};
const given = {
  sessions: [SECOND],
  series: { vix_close: Float64Array.of(16) },
  bars: { ...barsOf({ AAA: [21] }), sessions: [SECOND] },
  universe: 'given',
};

it('tells what is new, what is other than held, and whether all that is held is there', () => {
  expect(compareBars(given.bars, held.bars)).toEqual({ added: [], changed: [0], covers: false });
  expect(compareBars(held.bars, given.bars)).toEqual({ added: [0, 2, 3], changed: [1], covers: true });
});

it('keeps what only one of two histories knows, and the given value where both do', () => {
  const merged = mergeHistories(given, held, false);
  expect(merged.bars.sessions).toEqual([FIRST, SECOND]);
  expect([...merged.bars.close]).toEqual([10, 21, 5, 6]);
  expect([...(merged.series.vix_close ?? [])]).toEqual([14, 16]);
  expect(merged.universe).toBe('given');
});

it('leaves out members that are not used, and the sessions only they had', () => {
  const bars = {
    ...barsOf({ AAA: [10, null, 12], BBB: [5, 6, 7] }),
    sessions: [FIRST, SECOND, '2020-01-06'],
  };
  const kept = barsOfMembers(bars, (symbol) => symbol === 'AAA');
  expect(kept.sessions).toEqual([FIRST, '2020-01-06']);
  expect([kept.members.map(({ symbol }) => symbol), [...kept.close]]).toEqual([['AAA'], [10, 12]]);
  expect(barsOfMembers(bars, () => true)).toBe(bars);
});
