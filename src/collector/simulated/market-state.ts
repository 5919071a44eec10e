import { COMPANIES, SECTOR_MODELS } from './companies.ts';
import { createRandomStream, hundredths, type RandomStream } from './random.ts';

export const SESSIONS_PER_YEAR = 252;

/*
 * The constants are calibrated: simulated-years.proof.test.ts checks that each year is within the ranges of real ones. The
 * unit of time is a session unless stated otherwise.
 */

/** Long-term yearly volatility of the market. */
const USUAL_VOLATILITY = 0.12;
/** Yearly drift of the market. */
const DRIFT = 0.12;
/** Share of the distance from its trend that the market loses in each session, so that no year is extreme. */
const REVERSION = 0.014;
/** Share of the distance from its level relative to the market that a price loses in each session. */
const PULL = 0.004;

interface Company {
  sector: number;
  beta: number;
  /** A company's own volatility per session. */
  volatility: number;
  /** Logarithm of the company's price at the start. */
  logPrice: number;
}

export interface MarketModel {
  companies: readonly Company[];
  /** Shares of each company, so that the sectors have their weights at the start. */
  shares: Float64Array;
  /** Usual volume of each company per session. */
  volume: Float64Array;
}

/** The market after a session, before anything is rounded. */
export interface MarketState {
  /** Logarithm of the ratio of volatility to its usual level: one part that changes over weeks, and one over days. */
  slowVolatility: number;
  fastVolatility: number;
  /** Logarithmic return of the market in this session. */
  marketReturn: number;
  /** Logarithm of the ratio of the market's level to its start, and to its trend. */
  logMarket: number;
  overTrend: number;
  /** Logarithm of each company's price. */
  logPrices: Float64Array;
  /** Own shocks of the companies in this session, in standard deviations. */
  ownShocks: Float64Array;
  vixNoise: number;
  vix: number;
  putCallNoise: number;
  putCall: number;
  highYieldSpread: number;
  investmentGradeSpread: number;
  treasuryYield: number;
}

/** The whole market at its usual volatility, on its trend. */
const CALM = { slowVolatility: 0, fastVolatility: 0, marketReturn: 0, logMarket: 0, overTrend: 0 };
type MarketFactors = typeof CALM;

export function dailyVolatility({ slowVolatility, fastVolatility }: MarketFactors): number {
  return (USUAL_VOLATILITY * Math.exp(slowVolatility + fastVolatility)) / Math.sqrt(SESSIONS_PER_YEAR);
}

/** The companies of a seed's market, and the market before its first session. */
export function createModel(seed: string): { model: MarketModel; start: MarketState } {
  const random = createRandomStream(`${seed} companies`);
  const companies: Company[] = [];
  const shares = new Float64Array(COMPANIES.length);
  const volume = new Float64Array(COMPANIES.length);
  for (const [sector, model] of SECTOR_MODELS.entries()) {
    const members = COMPANIES.filter(({ sector: its }) => its === model.sector);
    const sizes = members.map(() => Math.exp(1.22 * random.normal()));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    for (const size of sizes) {
      const index = companies.length;
      const logPrice = Math.log(50) + 0.55 * random.normal();
      shares[index] = (model.weight * 1e10 * size) / total / Math.exp(logPrice);
      volume[index] = 2e6 * Math.exp(0.95 * random.normal()) * size ** 0.8;
      companies.push({
        sector,
        beta: model.beta * Math.exp(0.25 * random.normal()),
        volatility: 0.0124 * Math.exp(0.25 * random.normal()),
        logPrice,
      });
    }
  }
  const start: MarketState = {
    ...CALM,
    logPrices: Float64Array.from(companies, ({ logPrice }) => logPrice),
    ownShocks: new Float64Array(companies.length),
    vixNoise: 0,
    vix: 17,
    putCallNoise: 0,
    putCall: 0.92,
    highYieldSpread: 3.7,
    investmentGradeSpread: 1.1,
    treasuryYield: 3.2,
  };
  return { model: { companies, shares, volume }, start };
}

/** The market factor one session later: stochastic volatility that rises with losses (the leverage effect). */
function advanceFactors(before: MarketFactors, random: RandomStream): MarketFactors & { shock: number } {
  // Fatter tails than the normal distribution's, and a rare jump.
  const jump = random.uniform() < 0.012 ? 1.8 * random.normal() - 0.6 : 0;
  const normal = random.normal();
  const shock = (0.93 + 0.025 * normal ** 2) * normal + jump;
  const marketReturn =
    DRIFT / SESSIONS_PER_YEAR +
    dailyVolatility(before) * shock -
    REVERSION * before.overTrend -
    0.03 * before.marketReturn;
  return {
    shock,
    marketReturn,
    slowVolatility: 0.975 * before.slowVolatility - 0.03 * shock + 0.045 * random.normal(),
    fastVolatility: 0.85 * before.fastVolatility - 0.05 * shock + 0.06 * random.normal(),
    logMarket: before.logMarket + marketReturn,
    overTrend: before.overTrend + marketReturn - DRIFT / SESSIONS_PER_YEAR,
  };
}

const vixOf = ({ slowVolatility, fastVolatility }: MarketFactors, vixNoise: number) =>
  7.2 + 8.8 * Math.exp(1.2 * slowVolatility + 0.55 * fastVolatility + 1.5 * vixNoise);

/** Sessions before the start of the market over which the volatility of the earlier years becomes that of the start. */
const CALMING_SESSIONS = 60;

/** The S&P 500 and the VIX of the years before the market begins, as volatile as it. The index ends at `level`. */
export function earlierMarket(seed: string, sessions: readonly string[], level: number) {
  let factors: MarketFactors = CALM;
  const vix = new Float64Array(sessions.length);
  const logs = sessions.map((session, at) => {
    const random = createRandomStream(`${seed} ${session}`);
    const next = advanceFactors(factors, random);
    const calm = at < sessions.length - CALMING_SESSIONS ? 1 : 0.95;
    factors = { ...next, slowVolatility: calm * next.slowVolatility };
    vix[at] = hundredths(vixOf(factors, 0.02 * random.normal()));
    return factors.logMarket;
  });
  const last = logs.at(-1) ?? 0;
  return { sp500: Float64Array.from(logs, (log) => hundredths(level * Math.exp(log - last))), vix };
}

/** The market one session later: factors of the market, with stochastic volatility, and of sectors, and own shocks. */
export function advance(model: MarketModel, before: MarketState, seed: string, session: string): MarketState {
  const random = createRandomStream(`${seed} ${session}`);
  const { shock, ...factors } = advanceFactors(before, random);
  const { marketReturn, slowVolatility } = factors;

  // Sectors and companies move more independently while the market is volatile, but less than in proportion.
  const unrest = Math.exp(0.5 * (before.slowVolatility + before.fastVolatility));
  const sectorReturns = SECTOR_MODELS.map(({ volatility }) => (volatility / 100) * unrest * random.normal());
  const ownShocks = Float64Array.from(model.companies, () => skewed(random.normal()));
  const logPrices = Float64Array.from(model.companies, (company, index) => {
    const price = before.logPrices[index] as number;
    const own = company.volatility * unrest;
    return (
      price +
      company.beta * marketReturn +
      (sectorReturns[company.sector] as number) +
      own * (ownShocks[index] as number) -
      PULL * (price - company.logPrice - before.logMarket)
    );
  });

  // A separate stream: it does not depend on the number of draws for the companies.
  const quotes = createRandomStream(`${seed} ${session} auction`);
  const vixNoise = 0.9 * before.vixNoise - 0.015 * shock + 0.02 * quotes.normal();
  const vix = vixOf(factors, vixNoise);
  const putCallNoise = 0.95 * before.putCallNoise + 0.015 * quotes.normal();
  return {
    ...factors,
    logPrices,
    ownShocks,
    vixNoise,
    vix,
    putCallNoise,
    putCall: 0.92 * Math.exp(0.05 * slowVolatility + putCallNoise - 0.036 * shock + 0.11 * quotes.normal()),
    highYieldSpread:
      before.highYieldSpread +
      0.05 * (1.6 + 0.125 * vix - before.highYieldSpread) -
      1.8 * marketReturn +
      0.06 * quotes.normal(),
    investmentGradeSpread:
      before.investmentGradeSpread +
      0.04 * (0.5 + 0.037 * vix - before.investmentGradeSpread) -
      0.4 * marketReturn +
      0.007 * quotes.normal(),
    treasuryYield:
      before.treasuryYield +
      0.0015 * (3.8 - before.treasuryYield) +
      1.1 * marketReturn +
      0.06 * quotes.normal(),
  };
}

/** A shock of mean 0 whose losses are larger than its gains, as surprises of companies are. */
function skewed(normal: number): number {
  return normal - 0.04 * (normal ** 2 - 1);
}
