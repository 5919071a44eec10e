import { tickProxy } from '#domain/indicators/tick.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { COMPANIES } from './companies.ts';
import { dailyVolatility, type MarketModel, type MarketState } from './market-state.ts';
import { createRandomStream, hundredths } from './random.ts';

/** A session of the market, up to the fraction `elapsed` of its duration (0 to 1). */
export interface SimulatedSession {
  /** The seed of all random numbers of the session. */
  readonly seed: string;
  readonly before: MarketState;
  readonly after: MarketState;
  readonly elapsed: number;
}

const WAVES = 6;

/** The bars of a session: random bridges that the seed determines. An open session ends in its closing bars. */
export function sessionBars(model: MarketModel, { seed, before, after, elapsed }: SimulatedSession) {
  const random = createRandomStream(`${seed} bars`);
  const count = model.companies.length;
  const column = () => new Float64Array(count);
  const bars = { open: column(), high: column(), low: column(), close: column(), volume: column() };
  const marketSwing = elapsed < 1 ? bridge(`${seed} swing`, elapsed) : 0;
  const daily = dailyVolatility(before);
  const marketBusy =
    0.4 * (before.slowVolatility + before.fastVolatility) +
    0.05 * random.normal() +
    (0.06 * Math.abs(after.marketReturn)) / daily;
  for (let index = 0; index < count; index += 1) {
    const { beta, volatility: own } = model.companies[index] as MarketModel['companies'][number];
    const from = before.logPrices[index] as number;
    const move = (after.logPrices[index] as number) - from;
    const range = Math.hypot(beta * daily, own);
    const gap = 0.3 * move + 0.2 * own * random.normal();
    const swing = elapsed < 1 ? beta * daily * marketSwing + own * bridge(`${seed} ${index}`, elapsed) : 0;
    const open = from + gap;
    const close = open + (move - gap) * elapsed + swing;
    const reach = Math.sqrt(elapsed);
    const above = 0.35 * range * Math.abs(random.normal()) * reach;
    const below = 0.35 * range * Math.abs(random.normal()) * reach;
    bars.open[index] = cents(Math.exp(open));
    bars.close[index] = cents(Math.exp(close));
    bars.high[index] = Math.max(bars.open[index] as number, cents(Math.exp(Math.max(open, close) + above)));
    bars.low[index] = cents(Math.exp(Math.min(open, close) - below));
    const shock = after.ownShocks[index] as number;
    const busy = Math.exp(marketBusy + 0.56 * random.normal() + 0.37 * Math.min(3, Math.abs(shock)));
    bars.volume[index] = Math.round((model.volume[index] as number) * busy * shareTraded(elapsed));
  }
  return bars;
}

/** A Brownian bridge at `elapsed`, in units of its session: zero at both ends, sd 0.5 in the middle. */
export function bridge(seed: string, elapsed: number): number {
  const random = createRandomStream(seed);
  let sum = 0;
  for (let wave = 1; wave <= WAVES; wave += 1) {
    sum += (random.normal() * Math.sin(wave * Math.PI * elapsed) * Math.SQRT2) / (wave * Math.PI);
  }
  return sum;
}

/** Share of a session's volume traded by the fraction `elapsed`: more after the open and before the close. */
function shareTraded(elapsed: number): number {
  return 1.3 * elapsed - 0.9 * elapsed ** 2 + 0.6 * elapsed ** 3;
}

/** Rounds a price to the cent; at least one cent. */
export function cents(price: number): number {
  return Math.max(1, Math.round(price * 100)) / 100;
}

const GROWTH_SECTORS = ['Information Technology', 'Communication Services', 'Consumer Discretionary'];
/** Levels at the start. From these the default market reaches plausible levels and ratios of 2026. */
export const START = { sp500: 1833, nasdaq: 6005, dow: 12_810 } as const;
/** Companies in the Dow. */
const AVERAGED = 30;
const MINUTES = 390;

type Closes = Float64Array;

/** The series of a session from its closes: index levels, VIX, put/call ratios, spreads and yields in percent, TICK. */
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

/** The three indices: all companies by value, the growth sectors by value, the mean of the thirty largest. */
export function createIndices(model: MarketModel, start: MarketState) {
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

/** The TICK of one-minute `closes`, as for a live source. A rising session tends to have a positive one. */
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
