import { expect, it } from 'vitest';
import { READING_NAMES, type Readings } from '../signal/flips.ts';
import { revisions } from './revisions.ts';

const NOTHING = Object.fromEntries(READING_NAMES.map((name) => [name, null])) as Readings;
const day = (session: string, vix: number | null, final: number | null) => ({
  session,
  published: { ...NOTHING, vix },
  final: { ...NOTHING, vix: final },
});

it('gives the median and the largest difference between published and final values', () => {
  const days = [
    day('2026-01-05', 20, 20),
    day('2026-01-06', 20, 17),
    day('2026-01-07', 20, 21),
    day('2026-01-08', 20, 22),
  ];
  expect(revisions(days).vix).toEqual({
    ...{ sessions: 4, changed: 3, median: 1.5 },
    largest: { session: '2026-01-06', change: -3 },
  });
});

it('leaves out a value that was missing when it was published, or later', () => {
  const days = [day('2026-01-05', null, 20), day('2026-01-06', 20, null), day('2026-01-07', 20, 20)];
  expect(revisions(days).vix).toEqual({ sessions: 1, changed: 0, median: 0, largest: null });
  expect(revisions([]).vix).toEqual({ sessions: 0, changed: 0, median: null, largest: null });
});
