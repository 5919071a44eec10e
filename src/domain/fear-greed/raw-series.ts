import {
  mcclellanOscillator,
  mcclellanSummation,
  ratioAdjustedNetAdvances,
} from '../indicators/mcclellan.ts';
import { carryForward, sessionMean } from '../indicators/windows.ts';
import { type FearGreedComponent, mapComponents } from './components.ts';
import type { FearGreedSeries } from './score.ts';

export const STRENGTH_SESSIONS = 20;
export const PUT_CALL_SESSIONS = 5;
export const HAVEN_SESSIONS = 19;
/** Gain of a ten-year Treasury in percent for each point that its yield falls. */
export const TREASURY_DURATION = 7.4;

/** Net new 52-week highs in percent of all issues, as a 20-session mean. */
export function priceStrength(highs: Float64Array, lows: Float64Array, issues: Float64Array): Float64Array {
  const net = highs.map((high, at) => (100 * (high - (lows[at] ?? Number.NaN))) / (issues[at] || Number.NaN));
  return sessionMean(net, STRENGTH_SESSIONS);
}

/** McClellan summation index of volume, or of issues without volume. The total stays the same over a short gap. */
export function priceBreadth(rising: Float64Array, falling: Float64Array): Float64Array {
  return carryForward(mcclellanSummation(mcclellanOscillator(ratioAdjustedNetAdvances(rising, falling))));
}

/** 5-session mean of the put/call ratio, negated because many puts mean fear. */
export function optionsGreed(putCall: Float64Array): Float64Array {
  return sessionMean(putCall, PUT_CALL_SESSIONS).map((ratio) => -ratio);
}

/** High-yield spread minus investment-grade spread in percent, negated because a wide spread means fear. */
export function junkBondGreed(highYield: Float64Array, investmentGrade: Float64Array): Float64Array {
  const grade = carryForward(investmentGrade);
  return carryForward(highYield).map((yields, at) => (grade[at] ?? Number.NaN) - yields);
}

/** Return of stocks minus the return of a Treasury fund over 19 sessions, in percent. */
export function fundHavenGreed(indexClose: Float64Array, fundClose: Float64Array): Float64Array {
  const treasuries = returnPercent(fundClose);
  return returnPercent(indexClose).map((stocks, at) => stocks - (treasuries[at] ?? Number.NaN));
}

/** Return of stocks minus that of the ten-year Treasury (−7.4 × the yield's change) over 19 sessions, in percent. */
export function yieldHavenGreed(indexClose: Float64Array, tenYearYield: Float64Array): Float64Array {
  const yields = carryForward(tenYearYield);
  return returnPercent(indexClose).map((stocks, at) => {
    const change = (yields[at] ?? Number.NaN) - (yields[at - HAVEN_SESSIONS] ?? Number.NaN);
    return stocks + TREASURY_DURATION * change;
  });
}

function returnPercent(closes: Float64Array): Float64Array {
  return closes.map((close, at) => 100 * (close / (closes[at - HAVEN_SESSIONS] ?? Number.NaN) - 1));
}

/** The column of each raw series in a CSV file. `isFear` is true if higher values mean fear. */
export const RAW_COLUMNS = {
  market_momentum: { column: 'sp500', isFear: false },
  stock_price_strength: { column: 'price_strength', isFear: false },
  stock_price_breadth: { column: 'price_breadth', isFear: false },
  put_call_options: { column: 'put_call', isFear: true },
  junk_bond_demand: { column: 'junk_bond_spread', isFear: true },
  // The VIX is not negated, because the scorer needs its original sign.
  market_volatility: { column: 'vix', isFear: false },
  safe_haven_demand: { column: 'safe_haven', isFear: false },
} as const satisfies Record<FearGreedComponent, { column: string; isFear: boolean }>;
export type RawColumn = (typeof RAW_COLUMNS)[FearGreedComponent]['column'];

/** The raw series for `scoreFearGreed`, from columns of a file. Negates series whose higher values mean fear. */
export function readRawColumns(read: (column: RawColumn) => Float64Array): FearGreedSeries {
  return mapComponents((component) => {
    const { column, isFear } = RAW_COLUMNS[component];
    return isFear ? read(column).map((value) => -value) : read(column);
  });
}
