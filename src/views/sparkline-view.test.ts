import { expect, it } from 'vitest';
import { FEAR_GREED_INDEX, parseRow } from '#schema/columns.ts';
import { type SessionComponents, sparklineView } from './sparkline-view.ts';

const NONE = parseRow(FEAR_GREED_INDEX, { index_value: 50, created_at: '2026-11-16T21:00:00Z' });
const on = (session: string, market_momentum: number | null) =>
  ({ ...NONE, session, market_momentum, junk_bond_demand: 40 }) as SessionComponents;

const WEEK = [on('2026-11-11', 20.04), on('2026-11-12', null), on('2026-11-13', 80), on('2026-11-16', 61.2)];

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
