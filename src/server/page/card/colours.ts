import type { WeeklySignalView } from '#views/model.ts';
import tokensCss from '#web/styles/tokens.css?raw';
import { tokensOf } from './tokens.ts';

const DARK = tokensOf(tokensCss, 'dark');

/** A colour of the page's dark theme by the name of its token. Throws for a name the theme does not have. */
export function colour(name: string): string {
  const value = DARK[name];
  if (value === undefined) throw new Error(`The page has no colour named ${name}.`);
  return value;
}

/** The token of each verdict's colour, as the page has it. */
export const VERDICT_COLOURS: Record<WeeklySignalView['verdict'], string> = {
  SELL: 'extreme-fear',
  HOLD: 'neutral',
  BUY: 'extreme-greed',
};
