import { INDICES } from '#domain/index-quotes.ts';
import type { Explanation } from './explanation.ts';

const NAMES = INDICES.map(({ name }) => name);

/** One for the whole strip under the header. */
export const INDICES_EXPLANATION: Explanation = {
  name: 'Market Indices',
  text: `The market indices ${NAMES.slice(0, -1).join(', ')} and ${NAMES.at(-1)} each follow the prices of many US stocks in one number. Each stands with its last level and its change from the close of the trading day before, in points and in percent, both from the levels the data source gives.`,
  bands: null,
};
