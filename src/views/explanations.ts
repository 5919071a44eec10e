import { OVERDUE_MS } from '#domain/calendar/sessions.ts';
import { INDICES } from '#domain/index-quotes.ts';
import type { Explanation } from './band-words.ts';
import { FEAR_GREED_EXPLANATIONS } from './fear-greed-explanation.ts';
import { INDICATOR_EXPLANATIONS } from './indicators-explanation.ts';
import { SENTIMENT_EXPLANATIONS } from './sentiment-explanation.ts';
import { SIGNAL_EXPLANATIONS } from './signal-explanation.ts';
import { STRENGTH_EXPLANATIONS } from './strength-explanation.ts';

const AGE_EXPLANATION: Explanation = {
  name: 'Age of the data',
  text: `The numbers on this page describe the moment “As of”: the close of a trading day in New York, or a time within it. “Last updated” is the time on your clock at which the page last read the newest stored numbers. The numbers are one session behind for every trading day whose numbers have not arrived ${OVERDUE_MS / 60_000} minutes after its close. Days on which the exchange is closed do not count.`,
};

const INDEX_NAMES = INDICES.map(({ name }) => name);

const INDICES_EXPLANATION: Explanation = {
  name: 'Market Indices',
  text: `The market indices ${INDEX_NAMES.slice(0, -1).join(', ')} and ${INDEX_NAMES.at(-1)} each follow the prices of many US stocks in one number. The page shows the last level of each, and its change from the previous close in points and in percent. All of these come from the data source.`,
};

/** Explanations of all metrics. A separate chunk, because the page renders without it. */
export const EXPLANATIONS = {
  age: AGE_EXPLANATION,
  indices: INDICES_EXPLANATION,
  ...SIGNAL_EXPLANATIONS,
  ...FEAR_GREED_EXPLANATIONS,
  ...STRENGTH_EXPLANATIONS,
  ...INDICATOR_EXPLANATIONS,
  ...SENTIMENT_EXPLANATIONS,
} satisfies Record<string, Explanation>;

export type Metric = keyof typeof EXPLANATIONS;
