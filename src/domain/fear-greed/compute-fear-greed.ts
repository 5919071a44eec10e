import type { AdvanceDecline, BreadthCounts, NewHighsLows } from '../breadth/member-counts.ts';
import { exchangeSessions, firstPresent } from '../breadth/universe.ts';
import {
  mcclellanOscillator,
  mcclellanSummation,
  ratioAdjustedNetAdvances,
} from '../indicators/mcclellan.ts';
import { carryForward, sessionMean } from '../indicators/windows.ts';
import type { SeriesName } from '../market-history.ts';
import { type FearGreedComponent, mapComponents } from './components.ts';
import { fearGreedIndex, scoreComponent, scoreVolatility } from './score.ts';

/** The inputs of the index on one session axis. A missing series is all NaN. */
export interface FearGreedInputs {
  readonly series: (name: SeriesName) => Float64Array;
  /** The published counts of the exchange. */
  readonly exchange: BreadthCounts & Pick<NewHighsLows, 'highs' | 'lows'>;
  readonly members: AdvanceDecline & NewHighsLows;
}

/** The result of one method to compute a component: its score and the series that it uses. */
interface Method {
  readonly score: Float64Array;
  readonly inputs: readonly Float64Array[];
}

/**
 * The index and its components (0–100; NaN if missing). `isEarlier` is 1 if a component uses an earlier value. A
 * component is that of the first source with a score over its own history; no window mixes sources, and the members
 * never replace the exchange for single sessions.
 */
export function computeFearGreed(market: FearGreedInputs) {
  const methods = methodsByComponent(market);
  const components = mapComponents((component) => {
    const [first, ...others] = methods[component];
    return firstPresent(first.score, ...others.map(({ score }) => score));
  });
  const value = fearGreedIndex(components);
  const isEarlier = mapComponents((component) =>
    Uint8Array.from(value, (_, at) => Number(usesEarlier(methods[component], at))),
  );
  return { value, components, isEarlier };
}

function methodsByComponent({
  series,
  exchange,
  members,
}: FearGreedInputs): Readonly<Record<FearGreedComponent, readonly [Method, ...Method[]]>> {
  const method = (raw: Float64Array, ...inputs: Float64Array[]): Method => ({
    score: scoreComponent(raw),
    inputs,
  });
  const strength = (highs: Float64Array, lows: Float64Array, issues: Float64Array) =>
    method(priceStrength(highs, lows, issues), highs, lows, issues);
  const breadth = (rising: Float64Array, falling: Float64Array) =>
    method(priceBreadth(rising, falling), rising, falling);
  const options = (putCall: Float64Array) => method(optionsGreed(putCall), putCall);

  const indexClose = series('sp500_close');
  const [highYield, investmentGrade] = [series('high_yield_oas'), series('investment_grade_oas')];
  const [fund, tenYearYield] = [series('treasury_fund_close'), series('treasury_10y_yield')];
  const vix = series('vix_close');
  const issues = exchange.advancing.map(
    (advances, at) =>
      advances + (exchange.declining[at] ?? Number.NaN) + (exchange.unchanged[at] ?? Number.NaN),
  );
  return {
    market_momentum: [method(indexClose, indexClose)],
    stock_price_strength: exchangeOrMembers(
      strength(exchange.highs, exchange.lows, issues),
      strength(members.highs, members.lows, members.eligible),
    ),
    stock_price_breadth: exchangeOrMembers(
      breadth(exchange.advancing, exchange.declining),
      breadth(members.advancingVolume, members.decliningVolume),
      breadth(members.advancing, members.declining),
    ),
    put_call_options: [options(series('put_call_total')), options(series('put_call_equity'))],
    junk_bond_demand: [method(junkBondGreed(highYield, investmentGrade), highYield, investmentGrade)],
    market_volatility: [{ score: scoreVolatility(vix), inputs: [vix] }],
    safe_haven_demand: [
      method(fundHavenGreed(indexClose, fund), indexClose, fund),
      method(yieldHavenGreed(indexClose, tenYearYield), indexClose, tenYearYield),
    ],
  };
}

/** The methods without the scores of the members in sessions whose set is the exchange. */
function exchangeOrMembers(exchange: Method, ...members: Method[]): readonly [Method, ...Method[]] {
  const isExchange = exchangeSessions(exchange.score);
  const others = members.map(({ score, inputs }) => ({
    score: score.map((value, at) => (isExchange[at] ? Number.NaN : value)),
    inputs,
  }));
  return [exchange, ...others];
}

/** True if one of the series behind a session's score has no value of its own for that session. */
function usesEarlier(methods: readonly Method[], at: number): boolean {
  const chosen = methods.find(({ score }) => !Number.isNaN(score[at] ?? Number.NaN));
  return chosen?.inputs.some((input) => Number.isNaN(input[at] ?? Number.NaN)) ?? false;
}

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
