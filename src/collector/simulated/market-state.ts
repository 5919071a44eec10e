import { COMPANIES, SECTOR_MODELS } from './companies.ts';
import { createRandomStream } from './random.ts';

/** Regimes of volatility: yearly volatility and drift, and the chance a session of leaving for another one. */
const REGIMES = [
  { name: 'calm', volatility: 0.105, drift: 0.13, leaves: [0, 0.011, 0.0005] },
  { name: 'normal', volatility: 0.155, drift: 0.08, leaves: [0.014, 0, 0.007] },
  { name: 'stress', volatility: 0.29, drift: -0.2, leaves: [0, 0.028, 0] },
] as const;
export const SESSIONS_PER_YEAR = 252;

/** What a company is like for good. */
interface Company {
  sector: number;
  beta: number;
  /** Own volatility a session. */
  volatility: number;
}

export interface MarketModel {
  companies: readonly Company[];
  /** Shares of each company, so that the sectors have their weights at the start. */
  shares: Float64Array;
  /** Usual volume a session. */
  volume: Float64Array;
}

/** The market after a session, before anything is rounded. */
export interface MarketState {
  regime: number;
  /** Logarithm of the yearly volatility. */
  logVolatility: number;
  /** Logarithm of each company's price. */
  logPrices: Float64Array;
  /** Slow drifts of companies and of sectors, a session. */
  companyDrifts: Float64Array;
  sectorDrifts: Float64Array;
  /** Market return of this session and of about the last ten. */
  marketReturn: number;
  recentReturn: number;
  vixNoise: number;
  vix: number;
  putCallNoise: number;
  putCall: number;
  highYieldSpread: number;
  investmentGradeSpread: number;
  treasuryYield: number;
}

/** The companies of a seed's market, and the market before its first session. */
export function createModel(seed: string): { model: MarketModel; start: MarketState } {
  const random = createRandomStream(`${seed} companies`);
  const companies: Company[] = [];
  const logPrices = new Float64Array(COMPANIES.length);
  const shares = new Float64Array(COMPANIES.length);
  const volume = new Float64Array(COMPANIES.length);
  for (const [sector, model] of SECTOR_MODELS.entries()) {
    const sizes = model.companies.map(() => Math.exp(0.9 * random.normal()));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    for (const size of sizes) {
      const index = companies.length;
      const price = Math.exp(Math.log(70) + 0.55 * random.normal());
      logPrices[index] = Math.log(price);
      shares[index] = (model.weight * 1e10 * size) / total / price;
      volume[index] = 2e6 * Math.exp(0.7 * random.normal()) * size;
      companies.push({
        sector,
        beta: model.beta * Math.exp(0.16 * random.normal()),
        volatility: 0.0105 * Math.exp(0.25 * random.normal()),
      });
    }
  }
  const start: MarketState = {
    regime: 1,
    logVolatility: Math.log(0.15),
    logPrices,
    companyDrifts: new Float64Array(COMPANIES.length),
    sectorDrifts: new Float64Array(SECTOR_MODELS.length),
    marketReturn: 0,
    recentReturn: 0,
    vixNoise: 0,
    vix: 17,
    putCallNoise: 0,
    putCall: 0.92,
    highYieldSpread: 3.6,
    investmentGradeSpread: 1.1,
    treasuryYield: 3.2,
  };
  return { model: { companies, shares, volume }, start };
}

/** The market one session on. What is new on a day comes from the seed and the day alone. */
export function advance(model: MarketModel, before: MarketState, seed: string, session: string): MarketState {
  const random = createRandomStream(`${seed} ${session}`);
  const regime = nextRegime(before.regime, random.uniform());
  const { volatility: usual, drift } = REGIMES[regime] as (typeof REGIMES)[number];

  const shock = random.normal();
  const jump = random.uniform() < 0.012 ? 2.2 * random.normal() - 0.8 : 0;
  const volatility = Math.exp(before.logVolatility);
  const marketReturn =
    drift / SESSIONS_PER_YEAR + (volatility / Math.sqrt(SESSIONS_PER_YEAR)) * (0.94 * shock + jump);
  const logVolatility =
    before.logVolatility +
    0.055 * (Math.log(usual) - before.logVolatility) -
    0.045 * (shock + jump) +
    0.045 * random.normal();
  const recentReturn = 0.9 * before.recentReturn + marketReturn;

  const sectorDrifts = new Float64Array(SECTOR_MODELS.length);
  const sectorReturns = new Float64Array(SECTOR_MODELS.length);
  const turbulence = volatility / 0.15;
  for (const [sector, { volatility: own }] of SECTOR_MODELS.entries()) {
    sectorDrifts[sector] = 0.985 * (before.sectorDrifts[sector] as number) + 0.00009 * random.normal();
    sectorReturns[sector] =
      (sectorDrifts[sector] as number) + (own / 100) * turbulence ** 0.5 * random.normal();
  }

  const count = model.companies.length;
  const logPrices = new Float64Array(count);
  const companyDrifts = new Float64Array(count);
  const middle = before.logPrices.reduce((sum, price) => sum + price, 0) / count;
  for (let index = 0; index < count; index += 1) {
    const { sector, beta, volatility: own } = model.companies[index] as Company;
    const price = before.logPrices[index] as number;
    companyDrifts[index] = 0.985 * (before.companyDrifts[index] as number) + 0.00016 * random.normal();
    logPrices[index] =
      price +
      beta * marketReturn +
      (sectorReturns[sector] as number) +
      (companyDrifts[index] as number) +
      own * turbulence ** 0.6 * random.normal() -
      // A weak pull to the others keeps a price from leaving for good.
      0.0007 * (price - middle);
  }

  const vixNoise = 0.86 * before.vixNoise - 0.03 * (shock + jump) + 0.022 * random.normal();
  const vix = clamp((100 * Math.exp(logVolatility) * 0.98 + 4) * Math.exp(vixNoise), 9.5, 82);
  const putCallNoise = 0.85 * before.putCallNoise + 0.03 * random.normal();
  const putCall = clamp(
    0.92 + 0.009 * (vix - 17) - 1.3 * recentReturn + putCallNoise + 0.045 * random.normal(),
    0.55,
    1.6,
  );
  return {
    regime,
    logVolatility,
    logPrices,
    companyDrifts,
    sectorDrifts,
    marketReturn,
    recentReturn,
    vixNoise,
    vix,
    putCallNoise,
    putCall,
    highYieldSpread: Math.max(
      1.8,
      before.highYieldSpread +
        0.05 * (1.5 + 0.125 * vix - before.highYieldSpread) -
        3 * marketReturn +
        0.025 * random.normal(),
    ),
    investmentGradeSpread: Math.max(
      0.5,
      before.investmentGradeSpread +
        0.04 * (0.45 + 0.037 * vix - before.investmentGradeSpread) -
        0.4 * marketReturn +
        0.007 * random.normal(),
    ),
    treasuryYield: Math.max(
      0.4,
      before.treasuryYield +
        0.0015 * (3.8 - before.treasuryYield) +
        1.1 * marketReturn +
        0.05 * random.normal(),
    ),
  };
}

function nextRegime(regime: number, chance: number): number {
  let reached = 0;
  for (const [next, probability] of (REGIMES[regime] as (typeof REGIMES)[number]).leaves.entries()) {
    reached += probability;
    if (chance < reached) return next;
  }
  return regime;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
