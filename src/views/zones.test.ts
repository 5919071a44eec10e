import { expect, it } from 'vitest';
import { FEAR_GREED_ZONES, SIGNAL_ZONES } from './zones.ts';

it('the zones of each scale meet at the edges of the bands and cover 0 to 100', () => {
  expect(SIGNAL_ZONES).toEqual([
    { verdict: 'SELL', from: 0, to: 41 },
    { verdict: 'HOLD', from: 41, to: 61 },
    { verdict: 'BUY', from: 61, to: 100 },
  ]);
  expect(FEAR_GREED_ZONES.map(({ label, from, to }) => [label, from, to])).toEqual([
    ['Extreme Fear', 0, 25],
    ['Fear', 25, 45],
    ['Neutral', 45, 55],
    ['Greed', 55, 75],
    ['Extreme Greed', 75, 100],
  ]);
});
