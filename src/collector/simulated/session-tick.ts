import { tickProxy } from '#domain/indicators/tick.ts';
import { dailyVolatility, type MarketModel, type MarketState } from './market-state.ts';
import { createRandomStream } from './random.ts';
import { cents } from './session-bars.ts';

const MINUTES = 390;

/**
 * The TICK at `elapsed` of a session (0 to 1), counted as a live source counts it: one-minute `closes` of the companies
 * against those of the minute before. A rising session tends to have a positive one.
 */
export function sessionTick(
  model: MarketModel,
  before: MarketState,
  after: MarketState,
  closes: Float64Array,
  minute: { seed: string; session: string; elapsed: number },
): number {
  const { seed, session, elapsed } = minute;
  const random = createRandomStream(`${seed} ${session} minute ${Math.round(elapsed * MINUTES)}`);
  const common = 0.03 + 0.1 * (after.marketReturn / dailyVolatility(before)) + 0.1 * random.normal();
  const minuteBefore = closes.map((close, index) => {
    const { volatility } = model.companies[index] as MarketModel['companies'][number];
    return cents(close * Math.exp((-volatility / Math.sqrt(MINUTES)) * (common + random.normal())));
  });
  return tickProxy(closes, minuteBefore) ?? Number.NaN;
}
