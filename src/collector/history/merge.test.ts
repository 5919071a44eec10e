import { expect, it } from 'vitest';
import { barsOf } from '#tests/support/bars.ts';
import { combineBars, compareBars, mergeHistories } from './merge.ts';

const [FIRST, SECOND] = ['2020-01-02', '2020-01-03'];
const stored = {
  sessions: [FIRST, SECOND],
  series: { vix_close: Float64Array.of(14, 15) },
  bars: { ...barsOf({ AAA: [10, 20], BBB: [5, 6] }), sessions: [FIRST, SECOND] },
  universe: 'stored',
};
const added = {
  sessions: [SECOND],
  series: { vix_close: Float64Array.of(16) },
  bars: { ...barsOf({ AAA: [21] }), sessions: [SECOND] },
  universe: 'added',
};

it('lists new and changed bars of a history', () => {
  expect(compareBars(added.bars, stored.bars)).toEqual({
    members: [{ symbol: 'AAA', cells: [0], replaced: [SECOND] }],
    covers: false,
  });
  expect(compareBars(stored.bars, added.bars)).toEqual({
    members: [
      { symbol: 'AAA', cells: [0, 1], replaced: [SECOND] },
      { symbol: 'BBB', cells: [2, 3], replaced: [] },
    ],
    covers: true,
  });
});

it('lists bars of sessions that are not loaded as replaced', () => {
  const limits = { count: 1, storedFrom: SECOND };
  expect(compareBars(stored.bars, added.bars, limits).members).toEqual([
    { symbol: 'AAA', cells: [0], replaced: [FIRST] },
    { symbol: 'BBB', cells: [2], replaced: [FIRST] },
  ]);
});

it('prefers the added value when it merges two histories', () => {
  const merged = mergeHistories(added, stored, false);
  expect(merged.bars.sessions).toEqual([FIRST, SECOND]);
  expect([...merged.bars.close]).toEqual([10, 21, 5, 6]);
  expect([...(merged.series.vix_close ?? [])]).toEqual([14, 16]);
  expect(merged.universe).toBe('added');
});

it('leaves out unused members with their sessions', () => {
  const bars = {
    ...barsOf({ AAA: [10, null, 12], BBB: [5, 6, 7] }),
    sessions: [FIRST, SECOND, '2020-01-06'],
  };
  const kept = combineBars([bars], (symbol) => symbol === 'AAA');
  expect(kept.sessions).toEqual([FIRST, '2020-01-06']);
  expect([kept.members.map(({ symbol }) => symbol), [...kept.close]]).toEqual([['AAA'], [10, 12]]);
});
