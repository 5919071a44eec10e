import { AGE_EXPLANATION } from './explanations/age-explanation.ts';
import type { Explanation } from './explanations/explanation.ts';
import { FEAR_GREED_EXPLANATIONS } from './explanations/fear-greed-explanation.ts';
import { INDICATOR_EXPLANATIONS } from './explanations/indicators-explanation.ts';
import { INDICES_EXPLANATION } from './explanations/indices-explanation.ts';
import { SENTIMENT_EXPLANATIONS } from './explanations/sentiment-explanation.ts';
import { SIGNAL_EXPLANATIONS } from './explanations/signal-explanation.ts';
import { STRENGTH_EXPLANATIONS } from './explanations/strength-explanation.ts';

/** Every metric of the page, explained. Imported as a chunk of its own: nobody needs it to see the page. */
export const EXPLANATIONS = {
  age: AGE_EXPLANATION,
  indices: INDICES_EXPLANATION,
  ...SIGNAL_EXPLANATIONS,
  ...FEAR_GREED_EXPLANATIONS,
  ...STRENGTH_EXPLANATIONS,
  ...INDICATOR_EXPLANATIONS,
  ...SENTIMENT_EXPLANATIONS,
} satisfies Record<string, Explanation>;

/** Topics of the information buttons. */
export type Metric = keyof typeof EXPLANATIONS;
