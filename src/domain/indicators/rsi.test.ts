import { describe, expect, test } from 'vitest';
import { rsi } from './rsi.ts';

/**
 * StockCharts ChartSchool, worksheet cs-rsi.xls:
 * https://school.stockcharts.com/doku.php?id=technical_indicators:relative_strength_index_rsi
 */
const WORKSHEET = {
  closes: [
    44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931,
    46.0328, 45.614, 46.282, 46.282, 46.0028, 46.0328, 46.4116, 46.2222, 45.6439,
  ],
  rsi: [70.53, 66.32, 66.55, 69.41, 66.36, 57.97],
} as const;

describe('RSI', () => {
  test('equals the published worksheet', () => {
    const strength = rsi(Float64Array.from(WORKSHEET.closes), 14);
    expect(strength.slice(0, 14).every(Number.isNaN)).toBe(true);
    WORKSHEET.rsi.forEach((published, at) => {
      expect(strength[14 + at]).toBeCloseTo(published, 2);
    });
  });

  test('is 100 without a loss and 0 without a gain', () => {
    const rising = Float64Array.from({ length: 20 }, (_, at) => 100 + at);
    expect(rsi(rising, 14)[19]).toBe(100);
    expect(rsi(rising.toReversed(), 14)[19]).toBe(0);
  });

  test('skips a gap', () => {
    const gap = rsi(Float64Array.of(1, 2, Number.NaN, 1, 2, 3), 4);
    expect(gap[2]).toBeNaN();
    expect(gap[5]).toBeCloseTo(75, 10);
  });
});
