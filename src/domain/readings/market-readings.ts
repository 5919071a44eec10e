import {
  type BreadthCounts,
  countAdvances,
  countNewHighsLows,
  flagMoves,
  totalVolume,
} from '../breadth/member-counts.ts';
import { EXCHANGE, exchangeSessions, oneSet } from '../breadth/universe.ts';
import { FEAR_GREED_COMPONENTS, mapComponents } from '../fear-greed/components.ts';
import { computeFearGreed } from '../fear-greed/compute-fear-greed.ts';
import { highLowIndex } from '../indicators/high-low-index.ts';
import { mcclellanOscillator, ratioAdjustedNetAdvances } from '../indicators/mcclellan.ts';
import type { MarketHistory, SeriesName } from '../market-history.ts';
import { computeSectors } from '../sectors/sector-readings.ts';
import { describeSentiment } from '../sentiment/describe-sentiment.ts';
import { computeSentiment } from '../sentiment/sentiment-reading.ts';
import { indexDistanceRank, overallStrength } from '../strength/overall-strength.ts';
import { computeIndicators, type IndicatorData, indicatorsAt } from './indicator-columns.ts';
import { quoteIndices } from './quotes.ts';

/**
 * All series of the displayed numbers on the history's axis; NaN without a reading. Each uses only sessions up to its
 * own. In an open session, the volume trends leave out its volume, and counts are those of the members. Includes all
 * `sectors`. Throws a RangeError if the bars do not end with the history.
 */
export function computeMarketReadings(
  history: MarketHistory,
  {
    lastSessionOpen = false,
    sectors: named = [],
  }: { lastSessionOpen?: boolean; sectors?: readonly string[] } = {},
) {
  const { bars, sessions, universe } = history;
  const barsFrom = sessions.length - bars.sessions.length;
  if (
    bars.sessions[0] !== sessions[barsFrom] ||
    (barsFrom < sessions.length && bars.sessions.at(-1) !== sessions.at(-1))
  ) {
    throw new RangeError('The sessions of the bars must be the last sessions of the history.');
  }
  const series = (name: SeriesName): Float64Array =>
    history.series[name] ?? new Float64Array(sessions.length).fill(Number.NaN);
  const onAxis = (values: Float64Array): Float64Array => {
    const placed = new Float64Array(sessions.length).fill(Number.NaN);
    placed.set(values, barsFrom);
    return placed;
  };

  const indexClose = series('sp500_close');
  const { flags, leftOut } = flagMoves(bars);
  const counts = { ...countAdvances(bars, leftOut), ...countNewHighsLows(bars, leftOut) };
  const placed = Object.entries(counts).map(([name, values]) => [name, onAxis(values)]);
  const members: typeof counts = Object.fromEntries(placed);
  const sectors = computeSectors(bars, leftOut, indexClose.subarray(barsFrom), named);
  const exchange = {
    advancing: series('nyse_advances'),
    declining: series('nyse_declines'),
    unchanged: series('nyse_unchanged'),
    highs: series('nyse_new_highs'),
    lows: series('nyse_new_lows'),
  };
  const exchangeHighLow = highLowIndex(exchange.highs, exchange.lows);
  const exchangeMcClellan = mcclellanOscillator(
    ratioAdjustedNetAdvances(exchange.advancing, exchange.declining),
  );
  const atClose = (...readings: Float64Array[]): boolean[] =>
    exchangeSessions(...readings).map((own, at) => own && !(lastSessionOpen && at === sessions.length - 1));
  const isExchange = atClose(
    exchange.advancing,
    exchange.declining,
    exchange.unchanged,
    exchangeHighLow,
    exchangeMcClellan,
  );
  const ofSet: IndicatorData['ofSet'] = (own, counted) => oneSet(isExchange, own, counted, universe);
  const highLow = ofSet(exchangeHighLow, highLowIndex(members.highs, members.lows));
  const aboveSlowAverage = onAxis(sectors.aboveSlow);
  const meanSectorStrength = onAxis(sectors.meanStrength);
  const [indexVolume, memberVolume] = [series('sp500_volume').slice(), onAxis(totalVolume(bars))];
  if (lastSessionOpen) for (const volume of [indexVolume, memberVolume]) volume.fill(Number.NaN, -1);

  return {
    series: history.series,
    universe,
    positions: new Map(sessions.map((session, at) => [session, at])),
    // Moves of more than 40 % in one session. The indicators exclude these symbols from these sessions.
    flaggedMoves: flags,
    marketExposure: onAxis(sectors.aboveFast),
    // Percent of members above their 200-session average.
    aboveSlowAverage,
    overallStrength: overallStrength({
      aboveSlowAverage,
      highLowIndex: highLow.value,
      meanSectorStrength,
      indexDistanceRank: indexDistanceRank(indexClose),
    }),
    fearGreed: computeFearGreed({ series, exchange, members }),
    sectors: sectors.sectors.map(({ sector, strength }) => ({ sector, strength: onAxis(strength) })),
    // True for each session whose breadth, High/Low index and McClellan oscillator are those of the exchange.
    isExchange,
    indicators: computeIndicators({
      ...{ series, exchange, members, universe, ofSet, highLowIndex: highLow },
      mcclellan: ofSet(
        exchangeMcClellan,
        mcclellanOscillator(ratioAdjustedNetAdvances(members.advancing, members.declining)),
      ),
      publishedOr: (own, counted) => oneSet(atClose(own), own, counted, universe),
    }),
    exchangeBreadth: exchange,
    memberBreadth: members,
    sentiment: computeSentiment(sessions, indexClose, { indexVolume, memberVolume }),
  };
}
export type MarketReadings = ReturnType<typeof computeMarketReadings>;

/** All numbers that visitors see for `session`, from one set of stocks; null without it. Missing numbers are null. */
export function snapshotAt(readings: MarketReadings, session: string) {
  const at = readings.positions.get(session);
  if (at === undefined) return null;
  const { series, universe, fearGreed } = readings;
  const index = present(fearGreed.value, at);
  return {
    session,
    indices: quoteIndices(series, at),
    // Percent of members above their 50-session average.
    marketExposure: present(readings.marketExposure, at),
    overallStrength: present(readings.overallStrength, at),
    // Null with fewer than five components.
    fearGreed:
      index === null
        ? null
        : {
            value: index,
            // A score of 0–100 for each component; null if its inputs are missing or too short.
            components: mapComponents((component) => present(fearGreed.components[component], at)),
            // The components that use a value of an earlier session.
            earlierComponents: FEAR_GREED_COMPONENTS.filter(
              (component) => fearGreed.isEarlier[component][at] === 1,
            ),
          },
    sectors: readings.sectors.map(({ sector, strength }) => ({ sector, strength: present(strength, at) })),
    indicators: indicatorsAt(readings.indicators, at),
    sentiment: readings.sentiment.map((each) => {
      const parts = {
        rsi: present(each.rsi, at),
        macd: present(each.macd, at),
        movingAverageTrend: each.movingAverageTrend[at] ?? null,
        volumeTrend: each.volumeTrend[at] ?? null,
      };
      const { timeframe } = each;
      const score = present(each.score, at);
      const description = describeSentiment(timeframe, parts, {
        score,
        macdRank: present(each.parts.macdRank, at),
        stretchRank: present(each.parts.stretchRank, at),
        volumeConfirmation: present(each.parts.volumeConfirmation, at),
      });
      return { timeframe, score, ...parts, description };
    }),
    breadth: readings.isExchange[at]
      ? breadthAt(readings.exchangeBreadth, at, EXCHANGE)
      : breadthAt(readings.memberBreadth, at, universe),
  };
}

export type Snapshot = NonNullable<ReturnType<typeof snapshotAt>>;

/** The value at a position; null without a series, position or reading. */
function present(values: Float64Array | undefined, at: number): number | null {
  const value = values?.[at] ?? Number.NaN;
  return Number.isNaN(value) ? null : value;
}

function breadthAt(counts: BreadthCounts, at: number, universe: string) {
  const advancing = present(counts.advancing, at);
  const declining = present(counts.declining, at);
  const unchanged = present(counts.unchanged, at);
  if (advancing === null || declining === null || unchanged === null) return null;
  return { advancing, declining, unchanged, universe };
}
