import { FEAR_GREED_BANDS } from '#domain/bands/score-bands.ts';
import { totalVolume } from '#domain/breadth/member-counts.ts';
import type { MarketHistory, SeriesName } from '#domain/market-history.ts';
import { computeMarketReadings, type MarketReadings } from '#domain/readings/market-readings.ts';
import { weeklyBars } from '#domain/sentiment/sentiment-reading.ts';
import {
  changes,
  correlation,
  deviation,
  excessKurtosis,
  mean,
  median,
  persistence,
  quantile,
  shareOf,
  type Values,
  worstDrawdown,
} from './statistics.ts';

/** Sessions that a statistic covers: a year and a week. */
export const WINDOW = 260;
/** Sessions of the index's gain to which Fear & Greed is compared. */
const QUARTER = 63;
/** Real series have gaps. A statistic with less than this share of its values is NaN. */
const LEAST_PRESENT = 0.95 * WINDOW;

/** A market with its readings. */
export interface Market {
  readonly history: MarketHistory;
  readonly readings: MarketReadings;
}

/** Statistics by name; NaN if the market lacks the series or too many of its values. */
export type Statistics = Readonly<Record<string, number>>;

export const marketOf = (history: MarketHistory): Market => ({
  history,
  readings: computeMarketReadings(history),
});

const windowAt =
  (last: number) =>
  (values: ArrayLike<number> | undefined): number[] =>
    Array.from({ length: WINDOW }, (_, at) => values?.[last + 1 - WINDOW + at] ?? Number.NaN);

function whole(values: Values, reduce: (values: Values) => number): number {
  const present = values.filter((value) => !Number.isNaN(value));
  return present.length < LEAST_PRESENT ? Number.NaN : reduce(present);
}

const together = (a: Values, b: Values): number => correlation(a, b, LEAST_PRESENT - QUARTER);

/**
 * Statistics of the index and the published series over the `WINDOW` sessions up to position `last` of the axis.
 * Changes, shares, drawdowns and volatility are in percent.
 */
export function seriesStatistics({ history, readings }: Market, last: number): Statistics {
  const window = windowAt(last);
  const series = (name: SeriesName): number[] => window(history.series[name]);
  const rsiOf = (wanted: string): number[] =>
    window(readings.sentiment.find(({ timeframe }) => timeframe === wanted)?.rsi);

  const close = series('sp500_close');
  const daily = changes(close.map(Math.log)).map((change) => 100 * change);
  const moves = daily.slice(1);
  const volatility = deviation(moves) * Math.sqrt(252);
  const sessions = history.sessions.slice(last + 1 - WINDOW, last + 1);
  const weeks = [...weeklyBars(sessions, Float64Array.from(close)).close];
  const vix = series('vix_close');
  const putCall = series('put_call_total');
  const [highYield, investmentGrade] = [series('high_yield_oas'), series('investment_grade_oas')];
  const treasury = series('treasury_10y_yield');
  const [rsiDays, rsiWeeks] = [rsiOf('medium'), rsiOf('long')];
  const fearGreed = window(readings.fearGreed.value);
  const gains = window(
    history.series.sp500_close?.map((now, at, all) => now / (all[at - QUARTER] ?? Number.NaN) - 1),
  );

  return {
    'Index: change over the window': 100 * ((close.at(-1) ?? Number.NaN) / (close[0] ?? Number.NaN) - 1),
    'Index: rising weeks': shareOf(changes(weeks).slice(1), (change) => change > 0),
    'Index: rising days': shareOf(moves, (move) => move > 0),
    'Index: yearly volatility': volatility,
    'Index: clustering of volatility': persistence(moves.map(Math.abs)),
    'Index: excess kurtosis': excessKurtosis(moves),
    'Index: worst day': Math.min(...moves),
    'Index: best day': Math.max(...moves),
    'Index: worst drawdown': worstDrawdown(close),
    'VIX: lowest': whole(vix, (all) => Math.min(...all)),
    'VIX: median': whole(vix, median),
    'VIX: highest': whole(vix, (all) => Math.max(...all)),
    'VIX: median over yearly volatility': whole(vix, median) / volatility,
    'VIX: deviation of daily changes of its logarithm': whole(changes(vix.map(Math.log)), deviation),
    'VIX: correlation of changes with the index': together(changes(vix), daily),
    'RSI 14 days: median': whole(rsiDays, median),
    'RSI 14 days: days above 70': whole(rsiDays, (all) => shareOf(all, (value) => value > 70)),
    'RSI 14 days: days above 80': whole(rsiDays, (all) => shareOf(all, (value) => value > 80)),
    'RSI 14 days: days below 30': whole(rsiDays, (all) => shareOf(all, (value) => value < 30)),
    'RSI 14 weeks: median': whole(rsiWeeks, median),
    'RSI 14 weeks: days above 70': whole(rsiWeeks, (all) => shareOf(all, (value) => value > 70)),
    'RSI 14 weeks: days above 80': whole(rsiWeeks, (all) => shareOf(all, (value) => value > 80)),
    'Put/call: lowest': whole(putCall, (all) => Math.min(...all)),
    'Put/call: mean': whole(putCall, mean),
    'Put/call: highest': whole(putCall, (all) => Math.max(...all)),
    'Put/call: correlation with the index': together(putCall, daily),
    'Credit: mean high-yield spread': whole(highYield, mean),
    'Credit: mean investment-grade spread': whole(investmentGrade, mean),
    'Credit: deviation of daily high-yield changes': whole(changes(highYield), deviation),
    'Credit: correlation of high-yield changes with the index': together(changes(highYield), daily),
    'Treasury: mean yield': whole(treasury, mean),
    'Treasury: deviation of daily changes': whole(changes(treasury), deviation),
    'Treasury: correlation of changes with the index': together(changes(treasury), daily),
    'Fear & Greed: lowest': whole(fearGreed, (all) => Math.min(...all)),
    'Fear & Greed: mean': whole(fearGreed, mean),
    'Fear & Greed: highest': whole(fearGreed, (all) => Math.max(...all)),
    'Fear & Greed: deviation': whole(fearGreed, deviation),
    ...Object.fromEntries(
      FEAR_GREED_BANDS.map(({ label, from }, at) => {
        const to = FEAR_GREED_BANDS[at - 1]?.from ?? Number.POSITIVE_INFINITY;
        const inBand = (value: number) => value >= from && value < to;
        return [`Fear & Greed: days of ${label}`, whole(fearGreed, (all) => shareOf(all, inBand))];
      }),
    ),
    'Fear & Greed: correlation with the gain of a quarter': together(fearGreed, gains),
  };
}

/**
 * Statistics computed from the members, over the `WINDOW` sessions up to position `last` of the axis. Shares are in
 * percent. The market must lack the exchange's counts, which would replace those of the members.
 */
export function memberStatistics({ history, readings }: Market, last: number): Statistics {
  const window = windowAt(last);
  const daily = changes(window(history.series.sp500_close).map(Math.log));
  const { advancing: up, declining: down } = readings.memberBreadth;
  const advancing = window(up.map((count, at) => (100 * count) / (count + (down[at] ?? Number.NaN))));
  const trin = window(readings.indicators.trin.value);
  const contrary = trin.map((value, at) => {
    const share = advancing[at] ?? Number.NaN;
    if (Number.isNaN(value + share)) return Number.NaN;
    return Number((value >= 1.2 && share > 200 / 3) || (value < 0.8 && share < 100 / 3));
  });
  const above50 = window(readings.marketExposure);
  const above200 = window(readings.aboveSlowAverage);
  const highLow = window(readings.indicators.high_low_index.value);
  const sectorSpread = window(
    Float64Array.from(history.sessions, (_, at) => {
      const strengths = readings.sectors.map(({ strength }) => strength[at] ?? Number.NaN);
      return Math.max(...strengths) - Math.min(...strengths);
    }),
  );
  const barsFrom = history.sessions.length - history.bars.sessions.length;
  const volume = windowAt(last - barsFrom)(totalVolume(history.bars)).map(Math.log);

  return {
    'Breadth: mean share of advancing members': whole(advancing, mean),
    'Breadth: deviation of the share': whole(advancing, deviation),
    'Breadth: correlation with the index': together(advancing, daily),
    'Members above the 50-session average: mean': whole(above50, mean),
    'Members above the 50-session average: deviation': whole(above50, deviation),
    'Members above the 200-session average: mean': whole(above200, mean),
    'Members above the 200-session average: deviation': whole(above200, deviation),
    'Sectors: strongest less weakest, mean': whole(sectorSpread, mean),
    'High/Low Index: median': whole(highLow, median),
    'High/Low Index: deviation': whole(highLow, deviation),
    'McClellan Oscillator: deviation': whole(
      window(readings.indicators.mcclellan_oscillator.value),
      deviation,
    ),
    'TRIN: 5 % quantile': whole(trin, (all) => quantile(all, 0.05)),
    'TRIN: median': whole(trin, median),
    'TRIN: 95 % quantile': whole(trin, (all) => quantile(all, 0.95)),
    'TRIN: correlation of its logarithm with breadth': together(trin.map(Math.log), advancing),
    'TRIN: days that contradict breadth': whole(contrary, (all) => 100 * mean(all)),
    'Volume: deviation of daily changes of its logarithm': whole(changes(volume), deviation),
    'Volume: correlation with the size of index moves': together(volume, daily.map(Math.abs)),
  };
}
