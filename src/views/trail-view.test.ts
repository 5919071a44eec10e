import { expect, test } from 'vitest';
import { formatDay, parseDay } from '#domain/calendar/days.ts';
import type { IssuedSignalRow } from '#schema/record-rows.ts';
import { trailView } from './trail-view.ts';

/** Decisions of consecutive weeks with these scores; null for a withheld week. */
function weeksOf(scores: readonly (number | null)[]): IssuedSignalRow[] {
  return scores.map((score, at) => ({
    ...({
      week: formatDay(parseDay('2020-01-06') + 7 * at),
      score,
      reason: null,
      session: '2020-01-10',
    } as const),
    ...({ status: score === null ? 'withheld' : 'issued', decided_at: '2020-01-10T22:00:00.000Z' } as const),
    verdict: score === null ? null : score >= 61 ? 'BUY' : 'HOLD',
    ...({ source: 'live', origin: 'live', formula_version: '3' } as const),
    ...{ range_low: null, range_high: null, sp500_close: null },
  }));
}

test('draws a point per week and leaves out a withheld week', () => {
  expect(trailView(weeksOf([48.5, null, 61, 55.25]))).toEqual({
    ...{ path: 'M0 51.5 2 39 3 44.7', weeks: 4, text: '4 weeks' },
    ...{ low: 48.5, high: 61, stabilityText: null },
  });
});

test('is null with fewer than two scores', () => {
  expect([[], [48.5], [48.5, null]].map((scores) => trailView(weeksOf(scores)))).toEqual([null, null, null]);
});

test('has the last 26 weeks of 25 years, and the share of all changes', () => {
  const trail = trailView(weeksOf(Array.from({ length: 1305 }, (_, week) => (week % 4 === 0 ? 70 : 50))));
  expect(trail).toMatchObject({ weeks: 26, text: '26 weeks', low: 50, high: 70 });
  expect(trail?.path.split(' ')).toHaveLength(52);
  expect(trail?.stabilityText).toBe('The next week had another verdict in 50% of the weeks on record.');
});
