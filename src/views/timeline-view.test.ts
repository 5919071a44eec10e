import { expect, it } from 'vitest';
import { timelineView } from './timeline-view.ts';

const datesOf = ({ points, describe }: ReturnType<typeof timelineView>) =>
  points.map((_, index) => describe(index).dateText);

it('distinguishes readings of one day by their time in New York', () => {
  const at = (created_at: string) => ({ index_value: 50, index_label: null, created_at });
  const view = timelineView([
    at('2026-11-12T21:00:00.000Z'),
    at('2026-11-13T15:05:00.000Z'),
    at('2026-11-13T21:00:00.000Z'),
  ]);
  expect(datesOf(view)).toEqual(['Thu 12 Nov 2026', 'Fri 13 Nov 2026, 10:05', 'Fri 13 Nov 2026, 16:00']);
  expect(view.summary).toContain('from Thu 12 Nov 2026 to Fri 13 Nov 2026, 16:00:');
});

it('shows the time of a single reading within a session', () => {
  const view = timelineView([
    { index_value: 50, index_label: null, created_at: '2026-11-12T21:00:00.000Z' },
    { index_value: 50, index_label: null, created_at: '2026-11-13T19:05:00.000Z' },
  ]);
  expect(datesOf(view)).toEqual(['Thu 12 Nov 2026', 'Fri 13 Nov 2026, 14:05']);
  // A session that has not closed has no page yet.
  expect([0, 1].map((index) => view.describe(index).session)).toEqual(['2026-11-12', null]);
});

it('sorts rows by time', () => {
  const at = (index_value: number, created_at: string) => ({ index_value, index_label: null, created_at });
  const view = timelineView([
    at(80.04, '2026-11-13T21:00:00.000Z'),
    at(20, '2026-11-11T21:00:00.000Z'),
    at(50, '2026-11-12T21:00:00.000Z'),
  ]);
  expect(view.points.map(({ value }) => value)).toEqual([20, 50, 80]);
  expect(view.describe(2)).toMatchObject({
    dateText: 'Fri 13 Nov 2026',
    text: '80.0',
    label: 'Extreme Greed',
    changeText: '+30.0 since Thu 12 Nov',
    session: '2026-11-13',
  });
  expect(view.describe(0).changeText).toBeNull();
  expect(() => view.describe(3)).toThrow(RangeError);
});
