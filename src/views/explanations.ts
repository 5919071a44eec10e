import {
  GREEN_ABOVE,
  METRIC_BANDS,
  SECTOR_BANDS,
  SECTOR_TOTAL,
  VERDICTS,
} from '#domain/bands/score-bands.ts';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import { OVERDUE_MS } from '#domain/calendar/sessions.ts';
import { INDICES } from '#domain/index-quotes.ts';
import { FAST_AVERAGE, RETURN_SESSIONS, SLOW_AVERAGE } from '#domain/sectors/sector-readings.ts';
import { ENOUGH_WEIGHT } from '#domain/signal/decide-signal.ts';
import { SESSIONS_KEPT, SIGNAL_INPUTS, SIGNAL_WEIGHTS } from '#domain/signal/inputs.ts';
import {
  SLOW_AVERAGE as INDEX_AVERAGE,
  LEAST_PARTS,
  RANK_SESSIONS,
} from '#domain/strength/overall-strength.ts';
import { describeBandsUpward, type Explanation } from './band-words.ts';
import { FEAR_GREED_EXPLANATIONS } from './fear-greed-explanation.ts';
import { INDICATOR_EXPLANATIONS } from './indicators-explanation.ts';
import { SENTIMENT_EXPLANATIONS } from './sentiment-explanation.ts';
import { INPUT_NAMES } from './signal-inputs.ts';

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
  ...FEAR_GREED_EXPLANATIONS,
  marketExposure: {
    name: 'Market Exposure',
    text: `Market Exposure shows how much of the market takes part in a rise. It is the percentage of the stocks followed that closed above the average of their last ${FAST_AVERAGE} closes.`,
    bands: describeBandsUpward(METRIC_BANDS),
  },
  overallStrength: {
    name: 'Overall Strength',
    text: `Overall Strength shows on a scale from 0 to 100 how healthy the market is. It is the average of four percentages, of which at least ${LEAST_PARTS} must be known. They are the stocks that closed above the average of their last ${SLOW_AVERAGE} closes, the High/Low Index, the mean Sector Strength, and a rank of the S&P 500. The rank is the percentage of the last ${RANK_SESSIONS} trading days on which the S&P 500 was lower, relative to its ${INDEX_AVERAGE}-day average, than today.`,
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
  ...SENTIMENT_EXPLANATIONS,
} satisfies Record<string, Explanation>;

export type Metric = keyof typeof EXPLANATIONS;
