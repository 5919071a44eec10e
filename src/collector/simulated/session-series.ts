import type { SeriesName } from '#domain/market-history.ts';
import type { IndexLevels } from './indices.ts';
import type { MarketState } from './market-state.ts';
import { bridge } from './session-bars.ts';

/**
 * What is published of a session beside its bars, `elapsed` of it (0 to 1) gone by: index levels to the
 * hundredth, VIX, put/call ratios, and spreads and yields in percent.
 */
export function sessionSeries(
  levels: IndexLevels,
  before: MarketState,
  after: MarketState,
  elapsed: number,
  seed: string,
): Partial<Record<SeriesName, number>> {
  const between = (from: number, to: number) => from + (to - from) * elapsed;
  const swing = elapsed < 1 ? Math.exp(0.04 * bridge(`${seed} vix`, elapsed)) : 1;
  const putCall = hundredths(between(before.putCall, after.putCall));
  return {
    sp500_close: hundredths(levels.sp500),
    nasdaq_composite_close: hundredths(levels.nasdaq),
    dow_jones_close: hundredths(levels.dow),
    vix_close: hundredths(between(before.vix, after.vix) * swing),
    put_call_total: putCall,
    put_call_equity: hundredths(putCall * 0.7),
    high_yield_oas: hundredths(between(before.highYieldSpread, after.highYieldSpread)),
    investment_grade_oas: hundredths(between(before.investmentGradeSpread, after.investmentGradeSpread)),
    treasury_10y_yield: hundredths(between(before.treasuryYield, after.treasuryYield)),
  };
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
