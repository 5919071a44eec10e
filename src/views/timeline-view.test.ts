import { describe, expect, it } from 'vitest';
import { FEAR_GREED_INDEX, parseRow } from '#schema/columns.ts';
import { type SessionComponents, sparklineView, timelineView } from './timeline-view.ts';

const datesOf = ({ points, describe }: ReturnType<typeof timelineView>) =>
  points.map((_, index) => describe(index).dateText);

const at = (created_at: string, index_value = 50) => ({ index_value, index_label: null, created_at });

it.each([
  ['each of one day', ['2026-11-13T15:05:00.000Z', '2026-11-13T21:00:00.000Z'], [', 10:05', ', 16:00']],
  ['a single one within a session', ['2026-11-13T19:05:00.000Z'], [', 14:05']],
  ['no close', ['2026-11-13T21:00:00.000Z'], ['']],
])('distinguishes readings by their time in New York: %s', (_, instants, times) => {
  const view = timelineView([at('2026-11-12T21:00:00.000Z'), ...instants.map((instant) => at(instant))]);
  const texts = times.map((time) => `Fri 13 Nov 2026${time}`);
  expect(datesOf(view)).toEqual(['Thu 12 Nov 2026', ...texts]);
  expect(view.summary).toContain(`from Thu 12 Nov 2026 to ${texts.at(-1)}:`);
  // A session that has not closed has no page yet.
  const isClosed = instants.at(-1)?.includes('T21:00');
  expect([0, 1].map((index) => view.describe(index).session)).toEqual([
    ...['2026-11-12', isClosed ? '2026-11-13' : null],
  ]);
});

it('sorts rows by time', () => {
  const view = timelineView([
    at('2026-11-13T21:00:00.000Z', 80.04),
    at('2026-11-11T21:00:00.000Z', 20),
    at('2026-11-12T21:00:00.000Z', 50),
  ]);
  expect(view.points.map(({ value }) => value)).toEqual([20, 50, 80]);
  expect(view.describe(2)).toMatchObject({
    ...{ dateText: 'Fri 13 Nov 2026', text: '80.0', label: 'Extreme Greed', session: '2026-11-13' },
    changeText: '+30.0 since Thu 12 Nov',
  });
  expect(view.describe(0).changeText).toBeNull();
  expect(() => view.describe(3)).toThrow(RangeError);
});

describe('the sparkline of a component', () => {
  const NONE = parseRow(FEAR_GREED_INDEX, { index_value: 50, created_at: '2026-11-16T21:00:00Z' });
  const on = (session: string, market_momentum: number | null) =>
    ({ ...NONE, session, market_momentum, junk_bond_demand: 40 }) as SessionComponents;

  const WEEK = [
    on('2026-11-11', 20.04),
    on('2026-11-12', null),
    on('2026-11-13', 80),
    on('2026-11-16', 61.2),
  ];

  it('covers the year that ends with the newest row, without sessions that have no value', () => {
    const view = sparklineView([...WEEK, on('2026-11-17', null)], 'market_momentum');
    const at = (day: string) => Date.parse(`${day}T05:00:00Z`);
    expect(view).toMatchObject({ from: at('2025-11-17'), to: at('2026-11-17'), zone: 'greed' });
    expect(view?.points).toEqual([
      { at: at('2026-11-11'), value: 20 },
      { at: at('2026-11-13'), value: 80 },
      { at: at('2026-11-16'), value: 61.2 },
    ]);
    expect(view?.summary).toBe('lowest 20.0, highest 80.0');
  });

  it('describes a point with its change since the point before', () => {
    const view = sparklineView(WEEK, 'market_momentum');
    expect([0, 2].map((index) => view?.describe(index))).toMatchObject([
      { dateText: 'Wed 11 Nov 2026', text: '20.0', changeText: null },
      { dateText: 'Mon 16 Nov 2026', text: '61.2', label: 'Greed', changeText: '−18.8 since Fri 13 Nov' },
    ]);
  });

  it('is null with fewer than two values', () => {
    expect(sparklineView([], 'market_momentum')).toBeNull();
    expect(sparklineView(WEEK.slice(0, 2), 'market_momentum')).toBeNull();
    expect(sparklineView(WEEK, 'put_call_options')).toBeNull();
  });
});
