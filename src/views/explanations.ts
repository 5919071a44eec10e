import {
  HIGH_LOW_BANDS,
  INDICATORS,
  type IndicatorKey,
  MCCLELLAN_BANDS,
  PUT_CALL_BANDS,
  TICK_BANDS,
  TRIN_BANDS,
  VIX_BANDS,
} from '#domain/bands/indicator-bands.ts';
import {
  FEAR_GREED_BANDS,
  GREEN_ABOVE,
  METRIC_BANDS,
  RSI_EDGES,
  SECTOR_BANDS,
  SECTOR_TOTAL,
  SENTIMENT_BANDS,
  VERDICTS,
} from '#domain/bands/score-bands.ts';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import { OVERDUE_MS } from '#domain/calendar/sessions.ts';
import { type FearGreedComponent, mapComponents } from '#domain/fear-greed/components.ts';
import {
  HAVEN_SESSIONS,
  PUT_CALL_SESSIONS,
  STRENGTH_SESSIONS,
  TREASURY_DURATION,
} from '#domain/fear-greed/compute-fear-greed.ts';
import { LEAST_COMPONENTS, RANK_SESSIONS, VOLATILITY, Z_SESSIONS } from '#domain/fear-greed/score.ts';
import { SMOOTHING_SESSIONS } from '#domain/indicators/high-low-index.ts';
import { FAST_SPAN, SLOW_SPAN } from '#domain/indicators/mcclellan.ts';
import { EXCHANGE_ISSUES } from '#domain/indicators/tick.ts';
import { INDICES } from '#domain/readings/quotes.ts';
import { FAST_AVERAGE, RETURN_SESSIONS, SLOW_AVERAGE } from '#domain/sectors/sector-readings.ts';
import {
  RANK_BARS,
  TIMEFRAMES,
  type TimeframeSpans,
  VOLUME_CONFIRMATION,
  VOLUME_RATIO,
} from '#domain/sentiment/sentiment-reading.ts';
import { ENOUGH_WEIGHT } from '#domain/signal/decide-signal.ts';
import { SESSIONS_KEPT, SIGNAL_INPUTS, SIGNAL_WEIGHTS } from '#domain/signal/inputs.ts';
import {
  SLOW_AVERAGE as INDEX_AVERAGE,
  RANK_SESSIONS as INDEX_RANKED,
  LEAST_PARTS,
} from '#domain/strength/overall-strength.ts';
import { COMPONENT_NAMES } from './fear-greed-view.ts';
import { capitalised, UNKNOWN, writeNumber } from './number.ts';
import { INPUT_NAMES } from './signal-inputs.ts';

/** Text of a metric's information button and of `/method`. Its formula is in docs/methodology.md. */
export interface Explanation {
  readonly name: string;
  /** Two to five sentences: the meaning, then the computation and its inputs. */
  readonly text: string;
  readonly bands?: string | undefined;
}

function writeEdge(edge: number): string {
  const [, fraction = ''] = String(edge).split('.');
  return Number.isFinite(edge) ? writeNumber(edge, fraction.length) : UNKNOWN;
}

function sentence(clauses: readonly string[]): string {
  return `${capitalised(clauses.join(', '))}.`;
}

/** For bands that run from high to low: 'Under 15 Low Volatility, under 25 Moderate, else High Volatility.' */
export function describeBandsUpward(
  bands: readonly { readonly label: string; readonly from: number }[],
): string {
  const clauses = bands.map(({ label }, index) => {
    const above = bands[index - 1];
    return above === undefined ? `else ${label}` : `under ${writeEdge(above.from)} ${label}`;
  });
  return sentence(clauses.reverse());
}

/** For bands whose edges belong to the band below: 'Over 60 Strong, over 40 Moderate, else Weak.' */
export function bandsOver(bands: readonly { readonly label: string; readonly above: number }[]): string {
  const clauses = bands.map(({ label, above }) =>
    Number.isFinite(above) ? `over ${writeEdge(above)} ${label}` : `else ${label}`,
  );
  return sentence(clauses);
}

const FEAR_GREED_WORDS = describeBandsUpward(FEAR_GREED_BANDS);
const { zSessions, calmScore, raised, alarming } = VOLATILITY;

/** The computation of a component's score, as text. If higher values mean fear, the score counts the higher values. */
const ranked = (counted: 'lower' | 'higher') =>
  `measured in standard deviations from its ${Z_SESSIONS}-day average. The score is the percentage of the last ${RANK_SESSIONS} such values that were ${counted} than today’s`;

const COMPONENT_TEXTS: Readonly<Record<FearGreedComponent, string>> = {
  market_momentum: `Market momentum shows how far the S&P 500 is above or below its recent average. Its close is ${ranked('lower')}.`,
  stock_price_strength: `Price strength shows whether more stocks are at their highest or at their lowest price in a year. It is the number of new 52-week highs less new lows, in percent of all stocks, averaged over ${STRENGTH_SESSIONS} trading days. The counts are those of the ${EXCHANGE} if available, otherwise those of the stocks followed. The average is ${ranked('lower')}.`,
  stock_price_breadth: `Price breadth shows whether many stocks rise with the market or only a few. It is a running total of the McClellan Oscillator. The oscillator uses ${EXCHANGE} counts of rising and falling stocks if available, otherwise the volume traded in the rising and falling stocks followed. The total is ${ranked('lower')}.`,
  put_call_options: `Put and call options shows whether traders buy more protection against falling prices (puts) or more bets on rising prices (calls). It is the put/call ratio of all options, or of options on single stocks if that is missing, averaged over ${PUT_CALL_SESSIONS} trading days. The average is ${ranked('higher')}.`,
  junk_bond_demand: `Junk bond demand shows how much extra interest investors require for lending to weak companies. Little extra interest means that they accept risks. The yield spread of high-yield bonds less that of investment-grade bonds is ${ranked('higher')}.`,
  market_volatility: `Volatility shows whether the S&P 500 is expected to move unusually far. The VIX is measured in standard deviations from its ${zSessions}-day average. Up to ${raised.aboveDeviations} deviations above the average the score is ${calmScore}, so calm adds no greed. Beyond that the score is half the percentage of the last ${RANK_SESSIONS} such values that were higher than today’s. With the VIX at ${alarming.fromVix} or more it is a fifth of that percentage.`,
  safe_haven_demand: `Safe haven demand shows whether stocks did better than safe government bonds. It is the S&P 500’s gain over ${HAVEN_SESSIONS} trading days less the gain of ten-year Treasuries. The gain of Treasuries is that of a bond fund if available, otherwise −${TREASURY_DURATION} times the change of the ten-year yield. The difference is ${ranked('lower')}.`,
};

const SENTIMENT_WORDS = describeBandsUpward(
  SENTIMENT_BANDS.map(({ from, level }) => ({ from, label: level })),
);
const { gain, loss, otherwise } = VOLUME_CONFIRMATION;

/** Text with the period of an indicator in each term. `unit` is that of the long term if it is not days. */
function perTerm(write: (spans: TimeframeSpans) => string, unit = ''): string {
  const [short, medium, long] = TIMEFRAMES;
  return `${write(short)} trading days in the short term, ${write(medium)} in the medium term and ${write(long)}${unit} in the long term`;
}

function term(name: string, length: string, spans: TimeframeSpans): Explanation {
  const bars = spans.bars === 'weekly' ? 'weeks' : 'trading days';
  const { rsi, macd, averages, returnSessions } = spans;
  return {
    name,
    text: `The ${name} score shows the mood of the S&P 500 over ${length}, from 0 (very bearish) to 100 (very bullish). It is the average of four parts. The first part is the RSI over ${rsi} ${bars}. Two parts are ranks among their last ${RANK_BARS} values, in percent: the MACD (${macd.fast} and ${macd.slow} ${bars}, relative to the close), and the close relative to its ${averages.slow}-day average. The fourth part is volume: ${gain} if it increases with a gain of the index over ${returnSessions} trading days, ${loss} if it increases with a loss, ${otherwise} otherwise.`,
    bands: SENTIMENT_WORDS,
  };
}

/** The weight of the newest value in an exponential average over `span` values, as text. */
const newestWeightText = (span: number) => `${200 / (span + 1)}%`;

const INDICATOR_TEXTS: Readonly<Record<IndicatorKey, string>> = {
  vix: 'The VIX is the expected move of the S&P 500 over the next 30 days, in percent per year. The options exchange Cboe computes it from the prices of options on the S&P 500. The page shows the value of the data source.',
  vixChange:
    'VIX Change shows whether the expected moves have grown, which usually means worry, or shrunk. It is the VIX less the VIX of the previous trading day, in points.',
  putCallRatio:
    'The Put/Call Ratio compares options that gain when prices fall (puts) with options that gain when prices rise (calls). It is the number of puts traded in the day divided by the number of calls. The page shows the value of the data source.',
  trin: `TRIN, the Arms index, shows whether trading favours rising stocks (below 1) or falling stocks (above 1). It is the ratio of advancing to declining stocks divided by the ratio of the volume traded in them. The page shows the value that the ${EXCHANGE} publishes after the close if available, otherwise a value computed over the stocks followed.`,
  mcclellanOscillator: `The McClellan Oscillator shows whether the balance of rising and falling stocks improves (above 0) or worsens (below 0). It averages the advancing less the declining stocks, per thousand of both together, twice: with a weight of ${newestWeightText(FAST_SPAN)} and of ${newestWeightText(SLOW_SPAN)} for the newest day. The oscillator is the faster average less the slower one. The counts are those of the ${EXCHANGE} if available, otherwise those of the stocks followed.`,
  highLowIndex: `The High/Low Index shows whether more stocks reach a new high or a new low. It is the percentage of new 52-week highs among the new highs and lows of a day, averaged over ${SMOOTHING_SESSIONS} trading days. The counts are those of the ${EXCHANGE} if available, otherwise those of the stocks followed.`,
  tickIndex: `The TICK Index shows how many more stocks traded up than down at their last trade, at one moment of the day. The page shows a substitute if the data source has one-minute prices. The substitute is the number of stocks followed whose last one-minute close was higher than the one before, less those whose close was lower, scaled to ${writeNumber(EXCHANGE_ISSUES, 0)} stocks of the exchange.`,
};

const INDICATOR_WORDS: Partial<Record<IndicatorKey, string>> = {
  vix: describeBandsUpward(VIX_BANDS),
  putCallRatio: describeBandsUpward(PUT_CALL_BANDS),
  trin: describeBandsUpward(TRIN_BANDS),
  mcclellanOscillator: bandsOver(MCCLELLAN_BANDS),
  highLowIndex: bandsOver(HIGH_LOW_BANDS),
  tickIndex: `${bandsOver(TICK_BANDS).slice(0, -1)}; the sign does not count.`,
};

const INDICATOR_EXPLANATIONS = Object.fromEntries(
  (Object.keys(INDICATORS) as IndicatorKey[]).map((key): [IndicatorKey, Explanation] => [
    key,
    { name: INDICATORS[key].name, text: INDICATOR_TEXTS[key], bands: INDICATOR_WORDS[key] },
  ]),
) as Readonly<Record<IndicatorKey, Explanation>>;

const INDEX_NAMES = INDICES.map(({ name }) => name);
const WEIGHTED = SIGNAL_INPUTS.map((input) => `${INPUT_NAMES[input]} (${SIGNAL_WEIGHTS[input]}%)`);

/** Explanations of all metrics. A separate chunk, because the page renders without it. */
export const EXPLANATIONS = {
  age: {
    name: 'Age of the data',
    text: `The numbers on this page describe the moment “As of”: the close of a trading day in New York, or a time within it. “Last updated” is the time on your clock at which the page last read the newest stored numbers. The numbers are one session behind for every trading day whose numbers have not arrived ${OVERDUE_MS / 60_000} minutes after its close. Days on which the exchange is closed do not count.`,
  },
  indices: {
    name: 'Market Indices',
    text: `The market indices ${INDEX_NAMES.slice(0, -1).join(', ')} and ${INDEX_NAMES.at(-1)} each follow the prices of many US stocks in one number. The page shows the last level of each, and its change from the previous close in points and in percent. All of these come from the data source.`,
  },
  signal: {
    name: 'Market Signal',
    text: `The Market Signal summarises the whole page in one score from 0 to 100 and a verdict: BUY, HOLD or SELL. The score is the weighted average of seven inputs, each from 0 to 100: ${WEIGHTED.slice(0, -1).join(', ')} and ${WEIGHTED.at(-1)}.`,
    bands: describeBandsUpward(VERDICTS.map(({ from, verdict }) => ({ from, label: verdict }))),
  },
  breakdown: {
    name: 'Signal Breakdown',
    text: `The Signal Breakdown shows how many points each input adds to the score of the Market Signal. Points are the shown score times the weight. Their exact sum, rounded once to one decimal, is the score of the signal. An input that is missing or more than ${SESSIONS_KEPT} trading days older than the newest one leaves its weight to the others. With less than ${ENOUGH_WEIGHT}% of the weight measured there is no verdict.`,
  },
  advancedIndicators: {
    name: 'Advanced Indicators',
    text: 'Advanced Indicators is the part of the Market Signal that covers expected moves, option trading, and rising against falling stocks, as one score from 0 to 100. It is the average of 100 − 2 × VIX, (1.5 − Put/Call Ratio) × 100 and McClellan Oscillator + 50, each limited to 0 to 100.',
  },
  fearGreed: {
    name: 'Fear & Greed',
    text: `The Fear & Greed index shows on a scale from 0 to 100 whether fear (low) or greed (high) drives investors. It is the average of seven components, of which at least ${LEAST_COMPONENTS} must be known. Each component ranks today’s value among those of the last ${RANK_SESSIONS} trading days.`,
    bands: FEAR_GREED_WORDS,
  },
  ...mapComponents(
    (key): Explanation => ({
      name: COMPONENT_NAMES[key],
      text: COMPONENT_TEXTS[key],
      bands: FEAR_GREED_WORDS,
    }),
  ),
  marketExposure: {
    name: 'Market Exposure',
    text: `Market Exposure shows how much of the market takes part in a rise. It is the percentage of the stocks followed that closed above the average of their last ${FAST_AVERAGE} closes.`,
    bands: describeBandsUpward(METRIC_BANDS),
  },
  overallStrength: {
    name: 'Overall Strength',
    text: `Overall Strength shows on a scale from 0 to 100 how healthy the market is. It is the average of four percentages, of which at least ${LEAST_PARTS} must be known. They are the stocks that closed above the average of their last ${SLOW_AVERAGE} closes, the High/Low Index, the mean Sector Strength, and a rank of the S&P 500. The rank is the percentage of the last ${INDEX_RANKED} trading days on which the S&P 500 was lower, relative to its ${INDEX_AVERAGE}-day average, than today.`,
    bands: describeBandsUpward(METRIC_BANDS),
  },
  sectors: {
    name: 'Sector Strength',
    text: `Sector Strength shows how broadly the stocks of an industry rise, as a score out of ${SECTOR_TOTAL}. It is the average of three percentages of the sector’s stocks: those above the average of their last ${FAST_AVERAGE} closes, those above the average of their last ${SLOW_AVERAGE}, and those that gained more than the S&P 500 over ${RETURN_SESSIONS} trading days. The Market Signal uses the mean of the sectors.`,
    bands: describeBandsUpward(SECTOR_BANDS),
  },
  breadth: {
    name: 'Market Breadth',
    text: `Market Breadth counts the stocks that rose, fell or stayed unchanged since the previous close. It uses ${EXCHANGE} counts if available, otherwise the stocks followed. The Market Signal uses the percentage of rising stocks.`,
  },
  advanceDecline: {
    name: 'Advance/decline ratio',
    text: 'The advance/decline ratio shows whether more stocks rise or fall. It is the number of advancing stocks divided by the number of declining ones, or by 1 if none declines. Both numbers are the counts of Market Breadth.',
    bands: `Over ${GREEN_ABOVE} more advancing, under ${GREEN_ABOVE} more declining.`,
  },
  ...INDICATOR_EXPLANATIONS,
  sentiment: {
    name: 'Market Sentiment',
    text: 'Market Sentiment is the mood of the S&P 500 over days, months and a year, as one score from 0 to 100. It is the average of the Short Term, Medium Term and Long Term scores. Each score is computed from the closes of the index and the volume traded.',
    bands: SENTIMENT_WORDS,
  },
  short: term('Short Term', '1 to 5 days', TIMEFRAMES[0]),
  medium: term('Medium Term', '1 to 3 months', TIMEFRAMES[1]),
  long: term('Long Term', '6 to 12 months', TIMEFRAMES[2]),
  rsi: {
    name: 'RSI',
    text: `RSI, the relative strength index, compares the recent gains of the S&P 500 with its losses, from 0 (losses only) to 100 (gains only). It is the average gain in percent of the sum of average gain and average loss. Both averages are smoothed by Wilder’s method over ${perTerm(({ rsi }) => `${rsi}`, ' weeks')}.`,
    bands: `Over ${RSI_EDGES.positiveAbove} positive, under ${RSI_EDGES.negativeBelow} negative, else neutral.`,
  },
  macd: {
    name: 'MACD',
    text: `MACD shows in index points whether the S&P 500 has recently risen (above 0) or fallen. It is a fast exponential average of its closes less a slow one. The averages cover ${perTerm(({ macd }) => `${macd.fast} and ${macd.slow}`, ' weeks')}.`,
    bands: 'Over 0 positive, else negative.',
  },
  movingAverageTrend: {
    name: 'MA Trend',
    text: `MA Trend shows the direction of the S&P 500 by its moving averages. It is Bullish if the close is above a fast average of closes, and that average is above a slow one. It is Bearish if neither is true, and Neutral otherwise. The averages cover ${perTerm(({ averages }) => `${averages.fast} and ${averages.slow}`)}.`,
  },
  volumeTrend: {
    name: 'Volume',
    text: `Volume shows whether more or fewer shares than usual are traded. It divides the average volume of recent trading days by that of a longer period: ${perTerm(({ volume }) => `${volume.short} by ${volume.long}`)}. The volume is that of the S&P 500, or of the stocks followed if that is missing.`,
    bands: `Over ${VOLUME_RATIO.increasing} Increasing, under ${VOLUME_RATIO.decreasing} Decreasing, else Stable.`,
  },
} satisfies Record<string, Explanation>;

export type Metric = keyof typeof EXPLANATIONS;
