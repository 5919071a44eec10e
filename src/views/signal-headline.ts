import { asDisplayed } from '#domain/bands/precision.ts';
import { type Pull, pullOf } from '#domain/bands/pull.ts';
import { ENOUGH_WEIGHT, type Signal } from '#domain/signal/decide-signal.ts';
import type { SignalInput } from '#domain/signal/inputs.ts';

type Side = Exclude<Pull, 'neither'>;

/** Names of an input if it raises the score, and if it lowers it. */
const PHRASES: Record<SignalInput, Record<Side, string>> = {
  fearGreed: { lifts: 'greed among investors', holdsBack: 'fear among investors' },
  overallStrength: { lifts: 'a strong market', holdsBack: 'a weak market' },
  marketExposure: { lifts: 'broad participation', holdsBack: 'narrow participation' },
  sentiment: { lifts: 'upbeat sentiment', holdsBack: 'downbeat sentiment' },
  advancedIndicators: { lifts: 'favourable indicators', holdsBack: 'strained indicators' },
  sectors: { lifts: 'strong sectors', holdsBack: 'weak sectors' },
  breadth: { lifts: 'most stocks advancing', holdsBack: 'fewer than half of stocks advancing' },
};

const MIDDLE = 50;
/** Maximum number of names per direction, so that the sentence stays readable. */
const NAMED = 2;

/** The inputs that raise, or lower, the score, largest contribution first. */
function strongest(signal: Signal, side: Side): string | null {
  const names = signal.rows
    .flatMap(({ input, weight, score }) =>
      score === null ? [] : [{ input, weight, score: asDisplayed('score', score) }],
    )
    .filter(({ score }) => pullOf(score) === side)
    .sort((a, b) => b.weight * Math.abs(b.score - MIDDLE) - a.weight * Math.abs(a.score - MIDDLE))
    .slice(0, NAMED)
    .map(({ input }) => PHRASES[input][side]);
  return names.length === 0 ? null : names.join(' and ');
}

/** One sentence with the inputs that raise the score and those that lower it. */
export function signalHeadline(signal: Signal): string {
  if (signal.score === null) {
    return `Too little of the market has been measured. A signal needs ${ENOUGH_WEIGHT}% of the weight.`;
  }
  const lifts = strongest(signal, 'lifts');
  const holdsBack = strongest(signal, 'holdsBack');
  if (lifts === null && holdsBack === null) return 'Every input of the score is near the middle.';
  if (holdsBack === null) return `Lifted by ${lifts}; nothing holds the score back.`;
  if (lifts === null) return `Held back by ${holdsBack}; nothing lifts the score.`;
  return `Lifted by ${lifts}, held back by ${holdsBack}.`;
}
