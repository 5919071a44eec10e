import type { BreadthCounts } from '../breadth/advance-decline.ts';
import { EXCHANGE } from '../breadth/universe.ts';
import { FEAR_GREED_COMPONENTS, mapComponents } from '../fear-greed/components.ts';
import { quoteIndices } from '../index-quotes.ts';
import { describeSentiment } from '../sentiment/describe-sentiment.ts';
import { indicatorsAt } from './indicator-columns.ts';
import type { MarketReadings } from './market-readings.ts';

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
