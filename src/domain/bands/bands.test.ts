import { describe, expect, it } from 'vitest';
import { indicatorBand } from './indicator-bands.ts';
import { asDisplayed, roundTo } from './precision.ts';
import {
  breadthRatio,
  breadthStatus,
  fearGreedBand,
  fearGreedDot,
  macdStatus,
  metricBand,
  movingAverageStatus,
  rsiStatus,
  sectorBand,
  sentimentBand,
  verdictOf,
  volumeStatus,
} from './score-bands.ts';

/** The values of each label: the edges of its band, and numbers that round to an edge. */
type Expected = Readonly<Record<string, readonly number[]>>;

describe('classifies a value as displayed', () => {
  it('rounds halves away from zero [R7]', () => {
    expect([44.95, 24.95, 24.94, -0.04, -2.25].map((value) => roundTo(value, 1))).toEqual([
      45, 25, 24.9, 0, -2.3,
    ]);
    expect(roundTo(1.005, 2)).toBe(1.01);
    expect(Object.is(roundTo(-0.04, 1), 0)).toBe(true);
    expect(asDisplayed('tick', -300.5)).toBe(-301);
  });

  // The edges of VIX, put/call and TRIN belong to the band above, those of McClellan, High/Low and TICK to the band below.
  const TABLE: readonly [string, (value: number) => string, Expected][] = [
    [
      'Fear & Greed',
      (value) => fearGreedBand(value).label,
      {
        'Extreme Fear': [0, 24.9, 24.94],
        Fear: [24.95, 25, 44.94],
        Neutral: [44.95, 45, 54.949],
        Greed: [54.95, 55, 74.94],
        'Extreme Greed': [74.95, 75, 100],
      },
    ],
    [
      'the Fear & Greed insight',
      (value) => fearGreedDot(value).dot,
      { bullish: [55], neutral: [54.9, 45], bearish: [44.9] },
    ],
    [
      'metric cards [S9.6]',
      (value) => metricBand(value).color,
      { red: [34.94], yellow: [34.95, 35, 54.94], green: [54.95, 100] },
    ],
    [
      'sectors',
      (value) => sectorBand(value).status,
      { strong: [70, 69.95], neutral: [69.94, 49.95, 50], weak: [49.94, 0] },
    ],
    [
      'VIX [S9.11]',
      (value) => indicatorBand('vix', value).label,
      {
        'Low Volatility': [14.99],
        Moderate: [14.995, 15, 24.994],
        'High Volatility': [24.995, 25],
      },
    ],
    [
      'VIX change',
      (value) => indicatorBand('vixChange', value).label,
      { Falling: [-0.005], Unchanged: [-0.0049, 0, 0.0049], Rising: [0.005] },
    ],
    [
      'put/call [S9.12]',
      (value) => indicatorBand('putCallRatio', value).label,
      {
        'Very Bullish': [0.79],
        Bullish: [0.795, 0.8, 0.994],
        Bearish: [0.995, 1, 1.19],
        'Very Bearish': [1.195, 1.2],
      },
    ],
    [
      'TRIN [S9.13]',
      (value) => indicatorBand('trin', value).label,
      { 'Strong Buying': [0.79], Neutral: [0.795, 0.8, 1.194], 'Strong Selling': [1.195, 1.2] },
    ],
    [
      'McClellan [S9.14]',
      (value) => indicatorBand('mcclellanOscillator', value).label,
      {
        Positive: [50, 50.04, 0.05],
        Overbought: [50.05],
        Negative: [0.04, -49.9],
        Oversold: [-49.95, -50],
      },
    ],
    [
      'High/Low [S9.15]',
      (value) => indicatorBand('highLowIndex', value).label,
      { Moderate: [60.04, 40.05], Strong: [60.05], Weak: [40, 40.04] },
    ],
    [
      'TICK [S9.16]',
      (value) => indicatorBand('tickIndex', value).label,
      { Strong: [600, 300.5, -301], Extreme: [600.5, -601], Moderate: [300.4, 300, 0] },
    ],
    [
      'the direction of a TICK',
      (value) => indicatorBand('tickIndex', value).tone,
      { positive: [301, 601], neutral: [300, -300], negative: [-301, -601] },
    ],
    [
      'sentiment',
      (value) => sentimentBand(value).level,
      {
        'Very Bullish': [70, 69.95],
        Bullish: [69.94, 54.95, 55],
        Neutral: [44.95, 54.94, 45],
        Bearish: [44.94, 30, 29.95],
        'Very Bearish': [29.94],
      },
    ],
    ['RSI [S4.8]', rsiStatus, { neutral: [60, 60.04, 40, 39.95], positive: [60.05], negative: [39.94] }],
    ['MACD [S4.9]', macdStatus, { positive: [0.005], negative: [0.004, 0, -1] }],
    ['verdicts', verdictOf, { HOLD: [60.94, 40.95], BUY: [60.95, 61], SELL: [40.94, 0] }],
    ['breadth', breadthStatus, { neutral: [1.004], positive: [1.005], negative: [0.99] }],
  ];

  it.each(TABLE)('%s', (_, labelOf, expected) => {
    for (const [label, values] of Object.entries(expected))
      for (const value of values) expect(labelOf(value), String(value)).toBe(label);
  });

  it('trends of the average and of the volume [S4.10] [S4.11]', () => {
    expect(['bullish', 'bearish', 'neutral', 'x'].map(movingAverageStatus)).toEqual([
      'positive',
      'negative',
      'neutral',
      'neutral',
    ]);
    expect(['increasing', 'decreasing', 'flat'].map(volumeStatus)).toEqual([
      'positive',
      'negative',
      'neutral',
    ]);
  });

  it('the advance/decline ratio, over at least one declining stock', () => {
    expect(breadthRatio(10, 0)).toBe(10);
    expect(breadthRatio(3, 2)).toBe(1.5);
  });
});
