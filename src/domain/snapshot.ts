import { advanceDeclineRatio } from './breadth/advance-decline.ts';
import { EXCHANGE } from './breadth/universe.ts';
import type { FearGreedComponents } from './fear-greed/components.ts';
import { type IndexQuote, quoteIndices } from './index-quotes.ts';
import type { BreadthCounts, MarketReadings } from './market-readings.ts';
import { describeSentiment, type SentimentParts } from './sentiment/describe-sentiment.ts';
import type { Timeframe } from './sentiment/timeframes.ts';

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
    /** True if a component uses a value of an earlier session. */
    mixedSessions: boolean;
  } | null;
  sectors: readonly { sector: string; strength: number | null }[];
  indicators: {
    vix: number | null;
    vixChange: number | null;
    putCallRatio: number | null;
    highLowIndex: number | null;
    highLowUniverse: string | null;
    advanceDeclineRatio: number | null;
    mcclellanOscillator: number | null;
    mcclellanUniverse: string | null;
    tickIndex: number | null;
    tickUniverse: string | null;
    trin: number | null;
    trinUniverse: string | null;
  };
  sentiment: readonly TimeframeSentiment[];
  breadth: { advancing: number; declining: number; unchanged: number; universe: string } | null;
}

/**
 * All numbers that visitors see for `session`; null if the history lacks this session. Breadth, High/Low index and
 * McClellan oscillator are counted over one set of stocks: the exchange's or the members. `putCallRatio` is the
 * session's total ratio, for which the bands are defined. `tickIndex` is the members' TICK proxy, and the page labels it
 * as a proxy.
 */
export function snapshotAt(readings: MarketReadings, session: string): Snapshot | null {
  const at = readings.positions.get(session);
  if (at === undefined) return null;
  const { series, universe, fearGreed, highLowIndex, mcclellan } = readings;
  const vix = present(series.vix_close, at);
  const vixBefore = present(series.vix_close, at - 1);
  const index = present(fearGreed.value, at);
  const breadth = readings.isExchange[at]
    ? breadthAt(readings.exchangeBreadth, at, EXCHANGE)
    : breadthAt(readings.memberBreadth, at, universe);
  const trin = present(readings.trin.value, at);
  const tick = present(series.tick_proxy, at);
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
            components: componentsAt(readings, at),
            mixedSessions: fearGreed.mixedSessions[at] === 1,
          },
    sectors: readings.sectors.map(({ sector, strength }) => ({ sector, strength: present(strength, at) })),
    indicators: {
      vix,
      vixChange: vix === null || vixBefore === null ? null : vix - vixBefore,
      putCallRatio: present(series.put_call_total, at),
      highLowIndex: present(highLowIndex.value, at),
      highLowUniverse: highLowIndex.universe[at] ?? null,
      advanceDeclineRatio: advanceDeclineRatio(breadth),
      mcclellanOscillator: present(mcclellan.value, at),
      mcclellanUniverse: mcclellan.universe[at] ?? null,
      tickIndex: tick,
      tickUniverse: tick === null ? null : universe,
      trin,
      trinUniverse: readings.trin.universe[at] ?? null,
    },
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
    breadth,
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

function componentsAt({ fearGreed }: MarketReadings, at: number): FearGreedComponents {
  const { components } = fearGreed;
  return {
    market_momentum: present(components.market_momentum, at),
    stock_price_strength: present(components.stock_price_strength, at),
    stock_price_breadth: present(components.stock_price_breadth, at),
    put_call_options: present(components.put_call_options, at),
    junk_bond_demand: present(components.junk_bond_demand, at),
    market_volatility: present(components.market_volatility, at),
    safe_haven_demand: present(components.safe_haven_demand, at),
  };
}
