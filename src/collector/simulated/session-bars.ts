import { dailyVolatility, type MarketModel, type MarketState } from './market-state.ts';
import { createRandomStream } from './random.ts';

/** A session of the market, up to the fraction `elapsed` of its duration (0 to 1). */
export interface SimulatedSession {
  /** The seed of all random numbers of the session. */
  readonly seed: string;
  readonly before: MarketState;
  readonly after: MarketState;
  readonly elapsed: number;
}

const WAVES = 6;

/**
 * The bars of a session, company by company, to the cent. Prices follow a random bridge from the open to the close. The
 * seed determines it, so that an open session looks the same at each read and ends in its closing bars.
 */
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

/**
 * Share of a session's volume that is traded by the fraction `elapsed` of the session. Trading is heavier after the
 * open and before the close.
 */
function shareTraded(elapsed: number): number {
  return 1.3 * elapsed - 0.9 * elapsed ** 2 + 0.6 * elapsed ** 3;
}

/** Rounds a price to the cent; at least one cent. */
export function cents(price: number): number {
  return Math.max(1, Math.round(price * 100)) / 100;
}
