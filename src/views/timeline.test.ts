import { expect, it } from 'vitest';
import { timelineView } from './timeline.ts';

it('readings of one day are told apart by their time in New York', () => {
  const at = (created_at: string) => ({ index_value: 50, index_label: null, created_at });
  const { points, summary } = timelineView([
    at('2026-11-12T21:00:00.000Z'),
    at('2026-11-13T15:05:00.000Z'),
    at('2026-11-13T21:00:00.000Z'),
  ]);
  expect(points.map(({ dateText }) => dateText)).toEqual([
    'Thu 12 Nov 2026',
    'Fri 13 Nov 2026, 10:05',
    'Fri 13 Nov 2026, 16:00',
  ]);
  expect(summary).toContain('from Thu 12 Nov 2026 to Fri 13 Nov 2026, 16:00:');
});

it('a reading within its session says so, also where it is the only one of its day', () => {
  const { points } = timelineView([
    { index_value: 50, index_label: null, created_at: '2026-11-12T21:00:00.000Z' },
    { index_value: 50, index_label: null, created_at: '2026-11-13T19:05:00.000Z' },
  ]);
  expect(points.map(({ dateText }) => dateText)).toEqual(['Thu 12 Nov 2026', 'Fri 13 Nov 2026, 14:05']);
});
