import type { BreadthCounts } from '../breadth/advance-decline.ts';
import { EXCHANGE } from '../breadth/universe.ts';
import {
  FEAR_GREED_COMPONENTS,
  type FearGreedComponent,
  type FearGreedComponents,
  mapComponents,
} from '../fear-greed/components.ts';
import { type IndexQuote, quoteIndices } from '../index-quotes.ts';
import { describeSentiment, type SentimentParts } from '../sentiment/describe-sentiment.ts';
import type { Timeframe } from '../sentiment/timeframes.ts';
import { type IndicatorColumns, indicatorsAt } from './indicator-columns.ts';
import type { MarketReadings } from './market-readings.ts';

/** Sentiment of one timeframe; `score` and `rsi` 0–100, `macd` in index points. */
export interface TimeframeSentiment extends SentimentParts {
  timeframe: Timeframe;
  score: number | null;
  /** One sentence for a general visitor. */
  description: string;
}

/** All numbers of a session that visitors see. A number that cannot be computed is null, never 0 or 50. */
export interface Snapshot {
  session: string;
  indices: readonly IndexQuote[];
  /** Percent of members above their 50-session average. */
  marketExposure: number | null;
  overallStrength: number | null;
  /** Null with fewer than five components. */
  fearGreed: {
    value: number;
    components: FearGreedComponents;
    /** The components that use a value of an earlier session. */
    earlierComponents: readonly FearGreedComponent[];
  } | null;
  sectors: readonly { sector: string; strength: number | null }[];
  indicators: IndicatorColumns;
  sentiment: readonly TimeframeSentiment[];
  breadth: { advancing: number; declining: number; unchanged: number; universe: string } | null;
}

/**
 * All numbers that visitors see for `session`; null if the history lacks this session. Breadth, High/Low index and
 * McClellan oscillator are counted over one set of stocks: the exchange's or the members.
 */
export function snapshotAt(readings: MarketReadings, session: string): Snapshot | null {
  const at = readings.positions.get(session);
  if (at === undefined) return null;
  const { series, universe, fearGreed } = readings;
  const index = present(fearGreed.value, at);
  return {
    session,
    indices: quoteIndices(series, at),
    marketExposure: present(readings.marketExposure, at),
    overallStrength: present(readings.overallStrength, at),
    fearGreed:
      index === null
        ? null
        : {
            value: index,
            components: mapComponents((component) => present(fearGreed.components[component], at)),
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

/** The value at a position; null without a series, position or reading. */
function present(values: Float64Array | undefined, at: number): number | null {
  const value = values?.[at] ?? Number.NaN;
  return Number.isNaN(value) ? null : value;
}

function breadthAt(counts: BreadthCounts, at: number, universe: string): Snapshot['breadth'] {
  const advancing = present(counts.advancing, at);
  const declining = present(counts.declining, at);
  const unchanged = present(counts.unchanged, at);
  if (advancing === null || declining === null || unchanged === null) return null;
  return { advancing, declining, unchanged, universe };
}
