import { DISPLAYED_DECIMALS, roundTo } from '#domain/bands/precision.ts';
import { fearGreedBand, metricBand, type Pull, pullOf } from '#domain/bands/score-bands.ts';
import { sentimentBand } from '#domain/bands/sentiment-bands.ts';
import { ENOUGH_WEIGHT, type Signal } from '#domain/signal/decide-signal.ts';
import type { SignalInput } from '#domain/signal/inputs.ts';
import type { SignalRow } from './signal-view.ts';

type Side = Exclude<Pull, 'neither'>;

/** The name of an input in the sentence. A judging word is that of the input's own bands (specification, reading 28). */
const PHRASES: Record<SignalInput, (score: number, side: Side) => string> = {
  fearGreed: (score) => `${fearGreedBand(score).label} among investors`,
  overallStrength: (score) => `${metricBand(score).label} overall strength`,
  marketExposure: (score) => `${metricBand(score).label} market exposure`,
  sentiment: (score) => `${sentimentBand(score).level} sentiment`,
  advancedIndicators: () => 'the advanced indicators',
  sectors: () => 'the sectors',
  breadth: (_, side) => (side === 'lifts' ? 'most stocks advancing' : 'fewer than half of stocks advancing'),
};

const NAMED = 2;
const WORDS = { lifts: 'lifted', holdsBack: 'held back' } as const satisfies Record<Side, string>;
const NOTHING = {
  lifts: 'nothing holds it back',
  holdsBack: 'nothing lifts it',
} as const satisfies Record<Side, string>;

/** 'the sectors (+3.30 points)'. */
const nameOf = ({ input, score, effect }: SignalRow, side: Side, unit = '') =>
  `${PHRASES[input](score.value ?? 0, side).toLowerCase()} (${effect.text}${unit})`;

/** One sentence with the two inputs that move the score most away from 50. Without a score, the weight that is measured. */
export function signalHeadline(
  { score, weightMeasured }: Pick<Signal, 'score' | 'weightMeasured'>,
  rows: readonly SignalRow[],
): string {
  if (score === null) {
    const measured = roundTo(weightMeasured, DISPLAYED_DECIMALS.score);
    return `Too little of the market has been measured: ${measured}% of the weight. A signal needs ${ENOUGH_WEIGHT}%.`;
  }
  const pulls = rows
    .flatMap((row) => {
      const side = row.score.value === null ? 'neither' : pullOf(row.score.value);
      return side === 'neither' ? [] : [{ side, row, size: Math.abs(row.effect.value ?? 0) }];
    })
    .sort((a, b) => b.size - a.size);
  const [first, second] = pulls.slice(0, NAMED);
  if (first === undefined) return 'Every input of the score is near the middle.';
  const { side } = first;
  const begin = `${WORDS[side]} by ${nameOf(first.row, side, ' points')}`;
  const others = second === undefined ? '' : nameOf(second.row, second.side);
  const both = second === undefined || second.side !== side ? begin : `${begin} and ${others}`;
  // The breakdown shows effects of inputs near the middle too.
  const isOneSided = rows.every(({ effect }) => (effect.value ?? 0) * (first.row.effect.value ?? 0) >= 0);
  const end = second === undefined || second.side === side ? '' : `, ${WORDS[second.side]} by ${others}`;
  const sentence = `${both}${end}${isOneSided ? `; ${NOTHING[side]}` : ''}.`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
