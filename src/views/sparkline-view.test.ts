import { expect, it } from 'vitest';
import { type SessionComponents, sparklineView } from './sparkline-view.ts';

const on = (session: string, market_momentum: number | null): SessionComponents => ({
  session,
  market_momentum,
  stock_price_strength: null,
  stock_price_breadth: null,
  put_call_options: null,
  junk_bond_demand: 40,
  market_volatility: null,
  safe_haven_demand: null,
});

const WEEK = [on('2026-11-11', 20.04), on('2026-11-12', null), on('2026-11-13', 80), on('2026-11-16', 61.2)];

const at = (day: string) => Date.parse(`${day}T05:00:00Z`);

it('covers the year that ends with the newest row, without sessions that have no value', () => {
  const view = sparklineView([...WEEK, on('2026-11-17', null)], 'market_momentum');
  expect([view?.from, view?.to]).toEqual([at('2025-11-17'), at('2026-11-17')]);
  expect(view?.points).toEqual([
    { at: at('2026-11-11'), value: 20 },
    { at: at('2026-11-13'), value: 80 },
    { at: at('2026-11-16'), value: 61.2 },
  ]);
});

it('describes a point with its change since the point before', () => {
  const view = sparklineView(WEEK, 'market_momentum');
  expect(view?.describe(0)).toMatchObject({ dateText: 'Wed 11 Nov 2026', text: '20.0', changeText: null });
  expect(view?.describe(2)).toMatchObject({
    dateText: 'Mon 16 Nov 2026',
    text: '61.2',
    label: 'Greed',
    changeText: '−18.8 since Fri 13 Nov',
  });
  expect(view?.summary).toBe('lowest 20.0, highest 80.0');
  expect(view?.zone).toBe('greed');
});

it('is null with fewer than two values', () => {
  expect(sparklineView([], 'market_momentum')).toBeNull();
  expect(sparklineView(WEEK.slice(0, 2), 'market_momentum')).toBeNull();
  expect(sparklineView(WEEK, 'put_call_options')).toBeNull();
});
