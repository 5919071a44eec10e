import { expect, it } from 'vitest';
import { type FigureRow, figureHistoryView } from './figure-history-view.ts';
import { type HistoryFigure, storedFigure } from './stored-figure.ts';

/** Closes of sessions in November 2026, ascending. */
const closes = (values: readonly (number | null)[], universe: string | null = null): FigureRow[] =>
  values.map((value, index) => ({
    value,
    universe,
    created_at: `2026-11-${String(9 + index).padStart(2, '0')}T21:00:00.000Z`,
  }));

it.each<[HistoryFigure, string, number, string, string[]]>([
  ['marketExposure', 'market_metrics market_exposure', 54.04, '54.0% Moderate', ['Low', 'Moderate', 'High']],
  [
    { sector: 'Energy' },
    'sector_strength strength Energy',
    70,
    '70.0% Strong',
    ['Weak', 'Neutral', 'Strong'],
  ],
  [
    ...(['highLowIndex', 'advanced_indicators high_low_index high_low_universe', 60] as const),
    ...(['60.0% Moderate', ['Weak', 'Moderate', 'Strong']] as [string, string[]]),
  ],
  // The axis reaches from 10 to 20, which has no place for High Volatility.
  ['vix', 'advanced_indicators vix', 20, '20.00 Moderate', ['Low Volatility', 'Moderate']],
  ['vixChange', 'advanced_indicators vix_change', 1.5, '+1.50 Rising', []],
  ['tickIndex', 'advanced_indicators tick_index tick_universe', -700, '−700 Extreme', []],
])('shows %j with the words of its bands', (figure, stored, value, text, zones) => {
  expect(Object.values(storedFigure(figure)).join(' ')).toBe(stored);
  const view = figureHistoryView(closes([10, value]), figure, 'The figure');
  const last = view.describe(1);
  expect(`${last.text} ${last.label}`).toBe(text);
  expect(view.zones.map((zone) => zone.text)).toEqual(zones);
  expect(view.summary).toMatch(/^The figure from Mon 9 Nov 2026 to Tue 10 Nov 2026: lowest /);
  const { low, high } = view.scale;
  expect(view.points.every((point) => point.value >= low && point.value <= high)).toBe(true);
});

it.each<[HistoryFigure, number[], string[], string[]]>([
  ['vix', [12, 23], ['10', '20', '25'], ['15']],
  ['putCallRatio', [0.5, 1.5], ['0.50', '1.50'], ['0.80', '1.00', '1.20']],
  ['trin', [0.5, 4.5], ['0.0', '2.0', '3.0', '4.0', '5.0'], ['0.8', '1.2']],
  ['trin', [0.3, 9], ['2.5', '5.0', '7.5', '10.0'], ['0.8', '']],
  ['vixChange', [-1, 1], ['−1.0', '−0.5', '0.0', '0.5', '1.0'], []],
])('draws the borders of the bands of %s as dashed lines', (figure, values, ticks, borders) => {
  const { levels } = figureHistoryView(closes(values), figure, 'The figure');
  const textsOf = (dashed: boolean) =>
    levels.filter((level) => level.dashed === dashed).map(({ text }) => text);
  expect([textsOf(false), textsOf(true)]).toEqual([ticks, borders]);
});

it('calls a reading unchanged that shows the same number', () => {
  const { describe } = figureHistoryView(closes([12, 12.001]), 'vix', 'VIX');
  expect(describe(1)).toMatchObject({ change: '0.00', changeText: 'Unchanged since Mon 9 Nov' });
});

it('shows closes only', () => {
  const rows = [
    ...closes([12, 13, null]),
    { value: 99, universe: null, created_at: '2026-11-12T15:00:00.000Z' },
  ];
  const { points, describe } = figureHistoryView(rows, 'vix', 'VIX');
  expect(points.map(({ value }) => value)).toEqual([12, 13]);
  expect(describe(1)).toMatchObject({ dateText: 'Tue 10 Nov 2026', changeText: '+1.00 since Mon 9 Nov' });
});

it('shows the last row of a session', () => {
  const late = { value: 0.9, universe: null, created_at: '2026-11-09T23:00:00.000Z' };
  expect(figureHistoryView([...closes([0.8]), late], 'putCallRatio', 'Put/Call Ratio').points).toHaveLength(
    1,
  );
});

it('leaves out closes that counted other stocks than the newest one', () => {
  const rows = [
    ...closes([1, 2], 'S&P 500'),
    { value: 3, universe: 'NYSE', created_at: '2026-11-13T21:00:00.000Z' },
  ];
  expect(figureHistoryView(rows, 'trin', 'TRIN').points.map(({ value }) => value)).toEqual([3]);
});

it('is one sentence without a stored close', () => {
  expect(figureHistoryView(closes([null]), 'vix', 'VIX')).toMatchObject({
    points: [],
    emptyText: 'No close of VIX is stored yet. The history grows with each session.',
  });
});
