import { fearGreedBand, metricBand, type Pull, pullOf } from '#domain/bands/score-bands.ts';
import { sentimentBand } from '#domain/bands/sentiment-bands.ts';
import { ENOUGH_WEIGHT, type Signal } from '#domain/signal/decide-signal.ts';
import type { SignalInput } from '#domain/signal/inputs.ts';

type Side = Exclude<Pull, 'neither'>;

/**
 * The name of an input in the sentence, by its score and its side. A judging word comes from the input's own table of bands,
 * so that it agrees with the rest of the page (specification, reading 28).
 */
const PHRASES: Record<SignalInput, (score: number, side: Side) => string> = {
  fearGreed: (score) => `${fearGreedBand(score).label} among investors`,
  overallStrength: (score) => `${metricBand(score).label} overall strength`,
  marketExposure: (score) => `${metricBand(score).label} market exposure`,
  sentiment: (score) => `${sentimentBand(score).level} sentiment`,
  advancedIndicators: () => 'the indicators',
  sectors: () => 'the sectors',
  breadth: (_, side) => (side === 'lifts' ? 'most stocks advancing' : 'fewer than half of stocks advancing'),
};

const MIDDLE = 50;
/** Maximum number of names per direction, so that the sentence stays readable. */
const NAMED = 2;

/** The inputs that raise, or lower, the score, largest contribution first. */
function strongest(signal: Signal, side: Side): string | null {
  const names = signal.rows
    .flatMap(({ input, weight, score }) => (score === null ? [] : [{ input, weight, score }]))
    .filter(({ score }) => pullOf(score) === side)
    .sort((a, b) => b.weight * Math.abs(b.score - MIDDLE) - a.weight * Math.abs(a.score - MIDDLE))
    .slice(0, NAMED)
    .map(({ input, score }) => PHRASES[input](score, side).toLowerCase());
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
