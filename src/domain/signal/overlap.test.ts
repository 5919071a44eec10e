import { describe, expect, it } from 'vitest';
import { wanderingMarket } from '#tests/support/bars.ts';
import type { MarketHistory, SeriesName } from '../market-history.ts';
import { computeMarketReadings, snapshotAt } from '../readings/market-readings.ts';
import { overlap } from './overlap.ts';

const rounded = (shares: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(shares).map(([raw, share]) => [raw, Number(share.toFixed(1))]));

describe('the overlap of the inputs by raw data', () => {
  it('has the published shares of formula 2', () => {
    expect(rounded(overlap(true))).toEqual({
      stocks: 30,
      indexLevel: 19.1,
      advanceDecline: 17.9,
      highLow: 7.9,
      vix: 7.9,
      putCall: 7.9,
      volume: 3.8,
      stocksAgainstBonds: 2.9,
      credit: 2.9,
    });
  });

  it('counts the stocks followed if the exchange has no counts', () => {
    const shares = overlap(false);
    expect(rounded(shares)).toMatchObject({ stocks: 55.7, advanceDecline: 0, highLow: 0, indexLevel: 19.1 });
  });
});

describe('a change of raw data', () => {
  const market = wanderingMarket(760);
  const newest = market.sessions.at(-1) ?? '';

  /** The numbers of the signal that differ between two markets. */
  function differing(before: MarketHistory, after: MarketHistory): string[] {
    const [a, b] = [before, after].map((history) => {
      const readings = computeMarketReadings(history);
      const snapshot = snapshotAt(readings, newest);
      return {
        ...snapshot?.fearGreed?.components,
        aboveSlowAverage: readings.aboveSlowAverage.at(-1),
        highLowIndex: snapshot?.indicators.high_low_index,
        marketExposure: snapshot?.marketExposure,
        sectors: snapshot?.sectors.map(({ strength }) => strength).join(),
        rsi: snapshot?.sentiment.map(({ rsi }) => rsi).join(),
        volumeTrend: snapshot?.sentiment.map(({ volumeTrend }) => volumeTrend).join(),
        vix: snapshot?.indicators.vix,
        putCallRatio: snapshot?.indicators.put_call_ratio,
        mcclellanOscillator: snapshot?.indicators.mcclellan_oscillator,
        breadth: snapshot?.breadth?.advancing,
      };
    });
    return Object.keys(a ?? {}).filter((name) => Reflect.get(a ?? {}, name) !== Reflect.get(b ?? {}, name));
  }

  const withSeries = (changes: Partial<Record<SeriesName, (value: number) => number>>): MarketHistory => ({
    ...market,
    series: Object.fromEntries(
      Object.entries(market.series).map(([name, values]) => {
        const change = changes[name as SeriesName];
        return [
          name,
          change === undefined ? values : values.map((value, at) => (at < 755 ? value : change(value))),
        ];
      }),
    ),
  });
  const half = (value: number) => value / 2;
  const double = (value: number) => value * 2;

  it.each([
    ['the VIX', { vix_close: double }, ['market_volatility', 'vix']],
    ['put/call', { put_call_total: double }, ['put_call_options', 'putCallRatio']],
    ['credit', { high_yield_oas: double }, ['junk_bond_demand']],
    ['bonds', { treasury_10y_yield: half, treasury_fund_close: double }, ['safe_haven_demand']],
    ['volume', { sp500_volume: half }, ['volumeTrend']],
    [
      'the counts of rising and falling stocks',
      // Keeps the number of all issues, because highs and lows are measured in percent of it.
      { nyse_advances: (count: number) => count - 300, nyse_declines: (count: number) => count + 300 },
      ['stock_price_breadth', 'mcclellanOscillator', 'breadth'],
    ],
    [
      'highs and lows',
      { nyse_new_highs: half, nyse_new_lows: double },
      ['stock_price_strength', 'highLowIndex'],
    ],
  ] as const)('in %s changes only the listed parts', (_name, changes, parts) => {
    expect(differing(market, withSeries(changes)).sort()).toEqual([...parts].sort());
  });

  it('in the level of the index changes momentum, safe haven, sectors and RSI only', () => {
    expect(differing(market, withSeries({ sp500_close: half })).sort()).toEqual(
      ['market_momentum', 'safe_haven_demand', 'sectors', 'rsi'].sort(),
    );
  });

  it('in the members’ prices changes exposure and sectors only, if the exchange publishes its counts', () => {
    const close = market.bars.close.map((price, at) => price * (at % 2 === 0 ? 0.9 : 1.1));
    const after = { ...market, bars: { ...market.bars, close } };
    expect(differing(market, after).sort()).toEqual(['aboveSlowAverage', 'marketExposure', 'sectors'].sort());
  });
});
