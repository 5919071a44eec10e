import { expect, test } from 'vitest';
import { indicatorRail } from './indicator-rail.ts';

test('has the bands of the indicator in percent of its scale, and the place of the value', () => {
  expect(indicatorRail('vix', 17)).toEqual({
    bands: [
      { from: 0, to: 28.6, tone: 'positive' },
      { from: 28.6, to: 57.1, tone: 'neutral' },
      { from: 57.1, to: 100, tone: 'negative' },
    ],
    at: 34.3,
  });
  expect(indicatorRail('mcclellanOscillator', 0)?.bands.map(({ to }) => to)).toEqual([25, 50, 75, 100]);
});

test('places a value beyond the scale at its end', () => {
  expect([-900, 900].map((value) => indicatorRail('mcclellanOscillator', value)?.at)).toEqual([0, 100]);
});

test('is null without a scale or a value', () => {
  expect([indicatorRail('tickIndex', 412), indicatorRail('vix', null)]).toEqual([null, null]);
});
