import { expect, test } from 'vitest';
import { FULL } from '#tests/support/dashboard-rows.ts';
import { dashboardView } from './dashboard-view.ts';
import { otherSetText } from './other-set.ts';

const OPEN = '2026-11-13T17:00:00.000Z';
const NOTE = 'Counts of S&P 500, not comparable with closes';
const countedOver = (universe: string, created_at: string) => ({
  ...FULL,
  indicators: FULL.indicators && {
    ...FULL.indicators,
    ...{ high_low_universe: universe, mcclellan_universe: universe, created_at },
  },
  breadth: FULL.breadth && { ...FULL.breadth, universe, created_at },
});
const open = countedOver('S&P 500', OPEN);

test('says that counts of an open session over other stocks are not comparable with closes [R25]', () => {
  const { signal, advanced } = dashboardView(open, Date.parse(OPEN));
  expect(signal.measuredText).toContain(NOTE);
  expect(advanced?.breadth?.universe).toBe('S&P 500, not comparable with closes');
  const sets = advanced?.indicators?.items.map(({ universe }) => universe);
  expect(sets?.slice(3, 6)).toEqual(['NYSE', ...Array(2).fill('S&P 500, not comparable with closes')]);
});

test('says nothing at a close, or if both count the same stocks', () => {
  const close = FULL.breadth?.created_at ?? '';
  expect(otherSetText(countedOver('S&P 500', close))).toBeNull();
  expect(otherSetText(countedOver('NYSE', OPEN))).toBeNull();
  expect(otherSetText({ ...open, breadth: null })).toBeNull();
  expect(otherSetText({ ...open, weekAgo: { ...open.weekAgo, breadth: null } })).toBeNull();
});
