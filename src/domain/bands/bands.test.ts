import { describe, expect, it } from 'vitest';
import { indicatorBand } from './indicator-bands.ts';
import { asDisplayed, roundTo } from './precision.ts';
import {
  breadthRatio,
  breadthStatus,
  fearGreedBand,
  fearGreedDot,
  metricBand,
  sectorBand,
  verdictOf,
} from './score-bands.ts';
import {
  macdStatus,
  movingAverageStatus,
  rsiStatus,
  sentimentBand,
  volumeStatus,
} from './sentiment-bands.ts';

/** Expects the label of each value. The values are the edges of bands, and numbers that round to an edge. */
function expectLabels(labelOf: (value: number) => string, expected: readonly (readonly [number, string])[]) {
  for (const [value, label] of expected) expect(labelOf(value), String(value)).toBe(label);
}

describe('classifies a value as displayed', () => {
  it('rounds halves away from zero [R7]', () => {
    expect(roundTo(44.95, 1)).toBe(45);
    expect(roundTo(24.95, 1)).toBe(25);
    expect(roundTo(24.94, 1)).toBe(24.9);
    expect(roundTo(1.005, 2)).toBe(1.01);
    expect(roundTo(-0.04, 1)).toBe(0);
    expect(Object.is(roundTo(-0.04, 1), 0)).toBe(true);
    expect(roundTo(-2.25, 1)).toBe(-2.3);
    expect(asDisplayed('tick', -300.5)).toBe(-301);
  });

  it('Fear & Greed', () => {
    expectLabels(
      (value) => fearGreedBand(value).label,
      [
        [0, 'Extreme Fear'],
        [24.9, 'Extreme Fear'],
        [24.94, 'Extreme Fear'],
        [24.95, 'Fear'],
        [25, 'Fear'],
        [44.94, 'Fear'],
        [44.95, 'Neutral'],
        [45, 'Neutral'],
        [54.949, 'Neutral'],
        [54.95, 'Greed'],
        [55, 'Greed'],
        [74.94, 'Greed'],
        [74.95, 'Extreme Greed'],
        [75, 'Extreme Greed'],
        [100, 'Extreme Greed'],
      ],
    );
    expectLabels(
      (value) => fearGreedDot(value).dot,
      [
        [55, 'bullish'],
        [54.9, 'neutral'],
        [45, 'neutral'],
        [44.9, 'bearish'],
      ],
    );
  });

  it('metric cards', () => {
    expectLabels(
      (value) => metricBand(value).color,
      [
        [34.94, 'red'],
        [34.95, 'yellow'],
        [35, 'yellow'],
        [54.94, 'yellow'],
        [54.95, 'green'],
        [100, 'green'],
      ],
    );
  });

  it('sectors', () => {
    expectLabels(
      (value) => sectorBand(value).status,
      [
        [70, 'strong'],
        [69.95, 'strong'],
        [69.94, 'neutral'],
        [49.95, 'neutral'],
        [50, 'neutral'],
        [49.94, 'weak'],
        [0, 'weak'],
      ],
    );
  });

  it('VIX, put/call and TRIN, whose edges belong to the band above', () => {
    expectLabels(
      (value) => indicatorBand('vix', value).label,
      [
        [14.99, 'Low Volatility'],
        [14.995, 'Moderate'],
        [15, 'Moderate'],
        [24.994, 'Moderate'],
        [24.995, 'High Volatility'],
        [25, 'High Volatility'],
      ],
    );
    expectLabels(
      (value) => indicatorBand('putCallRatio', value).label,
      [
        [0.79, 'Very Bullish'],
        [0.795, 'Bullish'],
        [0.8, 'Bullish'],
        [0.994, 'Bullish'],
        [0.995, 'Bearish'],
        [1, 'Bearish'],
        [1.19, 'Bearish'],
        [1.195, 'Very Bearish'],
        [1.2, 'Very Bearish'],
      ],
    );
    expectLabels(
      (value) => indicatorBand('trin', value).label,
      [
        [0.79, 'Strong Buying'],
        [0.795, 'Neutral'],
        [0.8, 'Neutral'],
        [1.194, 'Neutral'],
        [1.195, 'Strong Selling'],
        [1.2, 'Strong Selling'],
      ],
    );
  });

  it('McClellan, High/Low and TICK, whose edges belong to the band below', () => {
    expectLabels(
      (value) => indicatorBand('mcclellanOscillator', value).label,
      [
        [50, 'Positive'],
        [50.04, 'Positive'],
        [50.05, 'Overbought'],
        [0.04, 'Negative'],
        [0.05, 'Positive'],
        [-49.9, 'Negative'],
        [-49.95, 'Oversold'],
        [-50, 'Oversold'],
      ],
    );
    expectLabels(
      (value) => indicatorBand('highLowIndex', value).label,
      [
        [60.04, 'Moderate'],
        [60.05, 'Strong'],
        [40, 'Weak'],
        [40.04, 'Weak'],
        [40.05, 'Moderate'],
      ],
    );
    expectLabels(
      (value) => indicatorBand('tickIndex', value).label,
      [
        [600, 'Strong'],
        [600.5, 'Extreme'],
        [300.4, 'Moderate'],
        [300.5, 'Strong'],
        [-601, 'Extreme'],
        [300, 'Moderate'],
        [-301, 'Strong'],
        [0, 'Moderate'],
      ],
    );
  });

  it('sentiment and its indicators', () => {
    expectLabels(
      (value) => sentimentBand(value).level,
      [
        [70, 'Very Bullish'],
        [69.95, 'Very Bullish'],
        [69.94, 'Bullish'],
        [54.95, 'Bullish'],
        [44.95, 'Neutral'],
        [29.95, 'Bearish'],
        [55, 'Bullish'],
        [54.94, 'Neutral'],
        [45, 'Neutral'],
        [44.94, 'Bearish'],
        [30, 'Bearish'],
        [29.94, 'Very Bearish'],
      ],
    );
    expectLabels(rsiStatus, [
      [60, 'neutral'],
      [60.04, 'neutral'],
      [60.05, 'positive'],
      [40, 'neutral'],
      [39.95, 'neutral'],
      [39.94, 'negative'],
    ]);
    expectLabels(macdStatus, [
      [0.005, 'positive'],
      [0.004, 'negative'],
      [0, 'negative'],
      [-1, 'negative'],
    ]);
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

  it('verdicts', () => {
    expectLabels(verdictOf, [
      [60.94, 'HOLD'],
      [60.95, 'BUY'],
      [61, 'BUY'],
      [40.94, 'SELL'],
      [40.95, 'HOLD'],
      [0, 'SELL'],
    ]);
  });

  it('breadth', () => {
    expect(breadthRatio(10, 0)).toBe(10);
    expect(breadthRatio(3, 2)).toBe(1.5);
    expect([1.004, 1.005, 0.99].map(breadthStatus)).toEqual(['neutral', 'positive', 'negative']);
  });
});
