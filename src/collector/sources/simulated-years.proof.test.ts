import { beforeAll, describe, expect, it } from 'vitest';
import type { SeriesName } from '#domain/market-history.ts';
import {
  type Market,
  marketOf,
  memberStatistics,
  type Statistics,
  seriesStatistics,
  WINDOW,
} from '#tests/support/market-statistics.ts';
import { readSource } from '#tests/support/read-source.ts';
import { correlation, quantile, shareOf } from '#tests/support/statistics.ts';
import { createSimulatedSource } from './simulated-source.ts';

/*
 * The 5 % and 95 % quantiles of each statistic over all windows of 260 sessions, five sessions apart, in real series, rounded
 * outward: S&P 500 and VIX 1990-01 to 2026-07, total put/call ratio 2006-11 to 2026-03, credit spreads 1996-12 to 2025-12, 10-year
 * yield 1990-01 to 2025-12; Fear & Greed by our own formula from these and the NYSE's counts, 2009 to 2026.
 * `npm run bench -- demo-ranges` computes them again.
 */
const OF_SERIES: Readonly<Record<string, readonly [low: number, high: number]>> = {
  'Index: change over the window': [-20.5, 33.7],
  'Index: rising weeks': [43.5, 66.1],
  'Index: rising days': [45.9, 58.4],
  'Index: yearly volatility': [8.67, 33.2],
  'Index: clustering of volatility': [-0.011, 0.268],
  'Index: excess kurtosis': [-0.128, 9.6],
  'Index: worst day': [-9.48, -1.79],
  'Index: best day': [1.85, 9.09],
  'Index: worst drawdown': [5.21, 34],
  'VIX: lowest': [9.31, 17.8],
  'VIX: median': [12.2, 26.5],
  'VIX: highest': [18.4, 80.9],
  'VIX: median over yearly volatility': [0.869, 1.48],
  'VIX: deviation of daily changes of its logarithm': [0.046, 0.093],
  'VIX: correlation of changes with the index': [-0.878, -0.548],
  'RSI 14 days: median': [46.7, 61.8],
  'RSI 14 days: days above 70': [0, 20.4],
  'RSI 14 days: days above 80': [0, 3.47],
  'RSI 14 days: days below 30': [0, 5],
  'RSI 14 weeks: median': [42.2, 67.7],
  'RSI 14 weeks: days above 70': [0, 37.8],
  'RSI 14 weeks: days above 80': [0, 5.39],
  'Put/call: lowest': [0.55, 0.74],
  'Put/call: mean': [0.844, 1.03],
  'Put/call: highest': [1.21, 1.91],
  'Put/call: correlation with the index': [-0.456, -0.137],
  'Credit: mean high-yield spread': [3.05, 8.74],
  'Credit: mean investment-grade spread': [0.893, 2.87],
  'Credit: deviation of daily high-yield changes': [0.042, 0.208],
  'Credit: correlation of high-yield changes with the index': [-0.683, -0.022],
  'Treasury: mean yield': [1.55, 7.39],
  'Treasury: deviation of daily changes': [0.036, 0.08],
  'Treasury: correlation of changes with the index': [-0.584, 0.59],
  'Fear & Greed: lowest': [0.217, 18.9],
  'Fear & Greed: mean': [37.7, 60.5],
  'Fear & Greed: highest': [72.6, 87.4],
  'Fear & Greed: deviation': [14.3, 22.9],
  'Fear & Greed: days of Extreme Greed': [0, 21.6],
  'Fear & Greed: days of Greed': [17.3, 49.7],
  'Fear & Greed: days of Neutral': [11.5, 25.8],
  'Fear & Greed: days of Fear': [14.2, 39.3],
  'Fear & Greed: days of Extreme Fear': [1.92, 30.4],
  'Fear & Greed: correlation with the gain of a quarter': [0.425, 0.839],
};

/*
 * The same quantiles over members of the S&P 500, 2013-02 to 2018-02. The members are in five groups with ten members
 * of each sector, because the simulated market has ten companies per sector.
 */
const OF_MEMBERS: typeof OF_SERIES = {
  'Breadth: mean share of advancing members': [50.2, 53.5],
  'Breadth: deviation of the share': [17.5, 27.1],
  'Breadth: correlation with the index': [0.851, 0.934],
  'Members above the 50-session average: mean': [48.6, 66],
  'Members above the 50-session average: deviation': [9.97, 24],
  'Members above the 200-session average: mean': [47.2, 77.2],
  'Members above the 200-session average: deviation': [5.2, 18.4],
  'Sectors: strongest less weakest, mean': [56.8, 67.8],
  'High/Low Index: median': [60.6, 97.9],
  'High/Low Index: deviation': [11.8, 30.1],
  'McClellan Oscillator: deviation': [30.7, 47.5],
  'TRIN: 5 % quantile': [0.342, 0.611],
  'TRIN: median': [0.954, 1.08],
  'TRIN: 95 % quantile': [1.78, 2.93],
  'TRIN: correlation of its logarithm with breadth': [-0.022, 0.376],
  'TRIN: days that contradict breadth': [13, 29.3],
  'Volume: deviation of daily changes of its logarithm': [0.18, 0.216],
  'Volume: correlation with the size of index moves': [0.138, 0.501],
};

/** The last sessions of the checked years. */
const FROM = '2026-01-01';
const UNTIL = Date.parse('2028-01-01T12:00:00Z');

let market: Market;
let lasts: number[];

beforeAll(async () => {
  const { history } = await readSource(createSimulatedSource({ years: 6 }), UNTIL);
  market = marketOf(history);
  lasts = history.sessions.flatMap((session, at) => (session >= FROM ? [at] : []));
});

const series = (name: SeriesName): number[] => [...(market.history.series[name] ?? [])];

/** The statistics that leave their range, each with the last session of the first year in which it does. */
function outOfRange(
  ranges: typeof OF_SERIES,
  statistics: (market: Market, last: number) => Statistics,
): string[] {
  const found = new Map<string, string>();
  for (const last of lasts) {
    const values = statistics(market, last);
    expect(Object.keys(values)).toEqual(Object.keys(ranges));
    for (const [name, [low, high]] of Object.entries(ranges)) {
      const value = values[name] ?? Number.NaN;
      if ((value >= low && value <= high) || found.has(name)) continue;
      found.set(name, `${name}: ${value} up to ${market.history.sessions[last]}`);
    }
  }
  return [...found.values()];
}

describe('each year of the default simulated market that ends in 2026 or 2027', () => {
  it('has an index, VIX, rates and Fear & Greed within the ranges of real years', () => {
    expect(lasts.length).toBeGreaterThan(500);
    expect(outOfRange(OF_SERIES, seriesStatistics)).toEqual([]);
  });

  it('has breadth, TRIN and volume within the ranges of real years', () => {
    expect(outOfRange(OF_MEMBERS, memberStatistics)).toEqual([]);
  });

  it('has the levels of the Nasdaq and the Dow in the ratios to the S&P 500 of 2024 to 2026', () => {
    const sp500 = series('sp500_close');
    const ratios = (name: SeriesName) => {
      const levels = series(name);
      return lasts.map((last) => (levels[last] ?? Number.NaN) / (sp500[last] ?? Number.NaN));
    };
    const extremes = (values: number[]) => [Math.min(...values), Math.max(...values)] as const;
    const [nasdaqLow, nasdaqHigh] = extremes(ratios('nasdaq_composite_close'));
    expect(nasdaqLow).toBeGreaterThan(3.1);
    expect(nasdaqHigh).toBeLessThan(3.6);
    const [dowLow, dowHigh] = extremes(ratios('dow_jones_close'));
    expect(dowLow).toBeGreaterThan(6.6);
    expect(dowHigh).toBeLessThan(7.3);
  });

  it('has a closing TICK mostly within ±1,000 that is higher with rising stocks', () => {
    const { advancing, declining } = market.readings.memberBreadth;
    const rising = [...advancing].map((up, at) => up / (up + (declining[at] ?? Number.NaN)));
    const tick = series('tick_proxy');
    for (const last of lasts) {
      const year = tick.slice(last + 1 - WINDOW, last + 1);
      expect(year.filter(Number.isNaN)).toEqual([]);
      expect(shareOf(year, (value) => Math.abs(value) <= 1000)).toBeGreaterThan(95);
      expect(quantile(year, 0.5)).toBeGreaterThan(0);
      expect(quantile(year, 0.5)).toBeLessThan(250);
      expect(quantile(year, 0.95) - quantile(year, 0.05)).toBeGreaterThan(600);
      expect(correlation(year, rising.slice(last + 1 - WINDOW, last + 1))).toBeGreaterThan(0.25);
    }
  });
});
