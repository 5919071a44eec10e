import { expect, it } from 'vitest';
import { SERIES } from '../market-history.ts';
import { keptInputs } from './kept-inputs.ts';

const EXCHANGE = /^nyse_/;

it.each<[name: string, uses: RegExp, shows: RegExp, kept: string]>([
  [
    'all data',
    /./,
    /./,
    'fearGreed overallStrength marketExposure sentiment advancedIndicators sectors breadth',
  ],
  ['prices of stocks alone', /^(bars|tick_proxy|treasury_fund)/, /^$/, 'marketExposure breadth'],
  [
    'scores of stocks, indices and spreads',
    /^(bars|treasury|sp500|high_yield|investment)/,
    /^treasury/,
    'fearGreed overallStrength marketExposure sentiment sectors breadth',
  ],
  [
    'the VIX as a number beside the stocks',
    /^(bars|vix)/,
    /^vix/,
    'marketExposure advancedIndicators breadth',
  ],
  ['the VIX in scores only', /^(bars|vix)/, /^$/, 'marketExposure breadth'],
  ["the exchange's counts in scores only", /^(bars|nyse)/, /^$/, 'marketExposure'],
  ['nothing', /^$/, /^$/, ''],
])('keeps the inputs that can be computed and shown from %s', (_, uses, shows, kept) => {
  expect(SERIES.some((name) => EXCHANGE.test(name))).toBe(true);
  const found = keptInputs({ uses: (input) => uses.test(input), shows: (input) => shows.test(input) });
  expect(found.join(' ')).toBe(kept);
});
