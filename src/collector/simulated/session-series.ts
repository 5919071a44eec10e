import { tickProxy } from '#domain/indicators/tick.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { COMPANIES } from './companies.ts';
import { dailyVolatility, type MarketModel, type MarketState } from './market-state.ts';
import { createRandomStream } from './random.ts';
import { bridge, cents, type SimulatedSession } from './session-bars.ts';

const GROWTH_SECTORS = ['Information Technology', 'Communication Services', 'Consumer Discretionary'];
/** Levels at the start. From these the default market reaches plausible levels and ratios of 2026. */
const START = { sp500: 1833, nasdaq: 6005, dow: 12_810 } as const;
/** Companies in the Dow. */
const AVERAGED = 30;
const MINUTES = 390;

type Closes = Float64Array;

/**
 * Computes the market-wide series of a session from the closes of its companies: index levels to the hundredth, VIX, put/call
 * ratios, spreads and yields in percent, and the TICK.
 */
export function createSessionSeries(model: MarketModel, start: MarketState) {
  const levelsOf = createIndices(model, start);
  return (session: SimulatedSession, closes: Closes): Partial<Record<SeriesName, number>> => {
    const { before, after, elapsed, seed } = session;
    const between = (from: number, to: number) => from + (to - from) * elapsed;
    const swing = elapsed < 1 ? Math.exp(0.04 * bridge(`${seed} vix`, elapsed)) : 1;
    const levels = levelsOf(closes);
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
      tick_proxy: sessionTick(model, session, closes),
    };
  };
}

/**
 * Levels of the three indices from prices: all companies by value, the growth sectors by value, and the unweighted
 * average of the thirty largest. Each is scaled to its level at the start.
 */
function createIndices(model: MarketModel, start: MarketState) {
  const everybody = COMPANIES.map((_, index) => index);
  const growth = everybody.filter((index) => GROWTH_SECTORS.includes(COMPANIES[index]?.sector ?? ''));
  const first = start.logPrices.map(Math.exp);
  const worth = (index: number) => (model.shares[index] as number) * (first[index] as number);
  const largest = [...everybody].sort((a, b) => worth(b) - worth(a)).slice(0, AVERAGED);

  const value = (prices: Closes, members: readonly number[]) =>
    members.reduce((sum, index) => sum + (model.shares[index] as number) * (prices[index] as number), 0);
  const price = (prices: Closes) => largest.reduce((sum, index) => sum + (prices[index] as number), 0);

  const scale = {
    sp500: START.sp500 / value(first, everybody),
    nasdaq: START.nasdaq / value(first, growth),
    dow: START.dow / price(first),
  };
  return (prices: Closes) => ({
    sp500: value(prices, everybody) * scale.sp500,
    nasdaq: value(prices, growth) * scale.nasdaq,
    dow: price(prices) * scale.dow,
  });
}

/**
 * The TICK, computed as for a live source: one-minute `closes` compared with the closes of the minute before. A rising
 * session tends to have a positive TICK.
 */
function sessionTick(
  model: MarketModel,
  { before, after, seed, elapsed }: SimulatedSession,
  closes: Closes,
): number {
  const random = createRandomStream(`${seed} minute ${Math.round(elapsed * MINUTES)}`);
  const common = 0.03 + 0.1 * (after.marketReturn / dailyVolatility(before)) + 0.1 * random.normal();
  const minuteBefore = closes.map((close, index) => {
    const { volatility } = model.companies[index] as MarketModel['companies'][number];
    return cents(close * Math.exp((-volatility / Math.sqrt(MINUTES)) * (common + random.normal())));
  });
  return tickProxy(closes, minuteBefore) ?? Number.NaN;
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
