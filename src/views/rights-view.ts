import { ENOUGH_WEIGHT } from '#domain/signal/decide-signal.ts';
import { SIGNAL_WEIGHTS, type SignalInput } from '#domain/signal/inputs.ts';
import { nameInputs, PROVIDER_WORDS } from './origins-view.ts';
import { INPUT_NAMES } from './signal-inputs.ts';

/** The right to show some inputs of one supplier to the public, and its reason. */
export interface RightsRow {
  readonly supplier: string;
  readonly inputs: readonly string[];
  readonly right: 'none' | 'derived' | 'value';
  readonly reason: string;
}

const RIGHT_WORDS = { none: 'left out', derived: 'scores and words only', value: 'shown' } as const;

/** Names the inputs of the signal that a public page keeps, and says if they are enough for a verdict. */
export function keptText(kept: readonly SignalInput[]): string {
  const weight = kept.reduce((sum, input) => sum + SIGNAL_WEIGHTS[input], 0);
  const names = kept.length === 0 ? 'No input' : kept.map((input) => INPUT_NAMES[input]).join(', ');
  const verdict =
    weight >= ENOUGH_WEIGHT
      ? 'That is enough for a verdict.'
      : `A verdict needs ${ENOUGH_WEIGHT}%, so there is none.`;
  return `${names} of the signal can be shown: ${weight}% of its weight. ${verdict}`;
}

/** Beside the age of the data on a page with PUBLISH_DELAY. */
export const DELAY_NOTE = 'Published one session later';
export const DELAY_TEXT = 'Each session is published after the close of the next session.';

/** The rights sheet as text. `kept` are the inputs of the signal that a public page keeps; null for another audience. */
export function rightsView(
  sheet: readonly RightsRow[],
  { kept, isDelayed }: { kept: readonly SignalInput[] | null; isDelayed: boolean },
) {
  return {
    notices: [...(kept === null ? [] : [keptText(kept)]), ...(isDelayed ? [DELAY_TEXT] : [])],
    rows: sheet.map(({ supplier, inputs, right, reason }) => ({
      name: supplier === 'csv' ? 'All data' : nameInputs(inputs).join(', '),
      supplier: supplier === 'csv' ? 'Files of the operator' : (PROVIDER_WORDS[supplier] ?? supplier),
      rightText: RIGHT_WORDS[right],
      reason,
    })),
  };
}
export type RightsView = ReturnType<typeof rightsView>;
