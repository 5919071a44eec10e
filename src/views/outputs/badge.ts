import type { Verdict } from '#domain/bands/score-bands.ts';
import { isStale } from '../sessions-behind.ts';
import { type CurrentData, isDemo } from './data-state.ts';

/** The text of the badge, and the verdict that sets its colour (null for a grey badge). */
export interface Badge {
  readonly message: string;
  readonly verdict: Verdict | null;
}

/** The newest signal as a badge. The badge of an old or missing signal is grey, so that it does not look current. */
export function badgeOf(data: CurrentData): Badge {
  const demo = isDemo(data) ? 'demo ' : '';
  const grey = (message: string): Badge => ({ message: `${demo}${message}`, verdict: null });
  const { age, signal } = data.view;
  if (age === null) return grey('no data');
  if (isStale(data.sessionsBehind)) return grey('stale');
  if (signal.verdict === 'Insufficient data') return grey('no signal');
  return { message: `${demo}${signal.verdict} ${signal.score.text}`, verdict: signal.verdict };
}
