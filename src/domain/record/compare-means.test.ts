import { expect, it } from 'vitest';
import { noise } from '#tests/support/bars.ts';
import { formatDay } from '../calendar/days.ts';
import { type CloseWindow, compareMeans } from './compare-means.ts';

/** A Monday. */
const FIRST = 18_266;
const day = (week: number) => formatDay(FIRST + 7 * week);

const isLifted = (week: number) => Math.floor(week / 8) % 2 === 1;

/** Windows of a week over closes that rise more in every second group of eight weeks. */
function windows(): CloseWindow[] {
  const next = noise(7);
  let exitClose = 1_000;
  return Array.from({ length: 299 }, (_, week) => {
    const entryClose = exitClose;
    const changePercent = 4 * (next() - 0.5) + (isLifted(week) ? 0.3 : 0);
    exitClose *= 1 + changePercent / 100;
    const [entrySession, exitSession] = [day(week), day(week + 1)];
    return { week: day(week - 1), entrySession, entryClose, exitSession, exitClose, changePercent };
  });
}

it('a difference of means needs to be larger to stand out among many comparisons', () => {
  const all = windows();
  const lifted = { of: all.filter((_, week) => isLifted(week)), with: all };
  const others = Array.from({ length: 40 }, (_, at) => ({
    of: all.slice(7 * at, 7 * at + 7),
    with: all,
  }));
  const [alone] = compareMeans([lifted]);
  const [among] = compareMeans([lifted, ...others]);
  expect([alone?.standsOut, among?.standsOut]).toEqual([true, false]);
  expect(among?.value).toBe(alone?.value);
});
