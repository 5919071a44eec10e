import { fearGreedIndex } from '../fear-greed/score.ts';
import { meanOfPresent } from '../indicators/windows.ts';
import { TIMEFRAMES, timeframeScore } from '../sentiment/sentiment-reading.ts';
import { overallStrength } from '../strength/overall-strength.ts';
import { SIGNAL_INPUTS, SIGNAL_WEIGHTS, type SignalInput } from './inputs.ts';

/** The kinds of raw market data from which the parts of the score are computed. */
export const RAW_DATA = [
  'stocks',
  'indexLevel',
  'advanceDecline',
  'highLow',
  'vix',
  'putCall',
  'volume',
  'stocksAgainstBonds',
  'credit',
] as const;
export type RawData = (typeof RAW_DATA)[number];

/** The score of the signal without rounding, if each part has the score (0–100) that `partOf` returns for its raw data. */
function scoreOf(partOf: (raw: RawData) => number, isExchange: boolean): number {
  const part = (raw: RawData) => Float64Array.of(partOf(raw));
  const advances = isExchange ? part('advanceDecline') : part('stocks');
  const highsLows = isExchange ? part('highLow') : part('stocks');
  const term = timeframeScore({
    rsi: part('indexLevel'),
    macdRank: part('indexLevel'),
    stretchRank: part('indexLevel'),
    volumeConfirmation: part('volume'),
  });
  const inputs: Readonly<Record<SignalInput, Float64Array>> = {
    fearGreed: fearGreedIndex({
      market_momentum: part('indexLevel'),
      stock_price_strength: highsLows,
      stock_price_breadth: advances,
      put_call_options: part('putCall'),
      junk_bond_demand: part('credit'),
      market_volatility: part('vix'),
      safe_haven_demand: part('stocksAgainstBonds'),
    }),
    overallStrength: overallStrength({
      aboveSlowAverage: part('stocks'),
      highLowIndex: highsLows,
      meanSectorStrength: part('stocks'),
      indexDistanceRank: part('indexLevel'),
    }),
    marketExposure: part('stocks'),
    sentiment: meanOfPresent(
      TIMEFRAMES.map(() => term),
      TIMEFRAMES.length,
    ),
    advancedIndicators: meanOfPresent([part('vix'), part('putCall'), advances], 3),
    sectors: part('stocks'),
    breadth: advances,
  };
  return SIGNAL_INPUTS.reduce(
    (sum, input) => sum + (SIGNAL_WEIGHTS[input] * (inputs[input][0] ?? Number.NaN)) / 100,
    0,
  );
}

/**
 * The share of the score (percent) that each kind of raw data decides: its change if all parts from the data change
 * by one point. `isExchange`: the counts are the exchange's.
 */
export function overlap(isExchange: boolean): Readonly<Record<RawData, number>> {
  const shares = RAW_DATA.map((raw) => {
    const moved = scoreOf((other) => (other === raw ? 100 : 0), isExchange);
    return [raw, moved - scoreOf(() => 0, isExchange)];
  });
  return Object.fromEntries(shares);
}
