import { PIECES } from '../tests/support/adversarial-texts.ts';
import type { Dice } from '../tests/support/dice.ts';

/** Maximum length of a request, below the server's limit of 16 KB for a head. */
const LONGEST = 16_000;
const MOST_CHANGES = 3;

type Change = (text: string, dice: Dice) => string;

/** Fills the request to its maximum length by repeating one piece at a position before a value. */
const stretch: Change = (text, dice) => {
  const starts = [...text.matchAll(/[=.,(/:] ?/g)].map((match) => match.index + match[0].length);
  const at = dice.pick(starts.length > 0 ? starts : [0]);
  const piece = dice.pick(PIECES);
  const room = Math.max(0, LONGEST - text.length);
  const length = dice.chance(0.8) ? room : dice.below(room + 1);
  return text.slice(0, at) + piece.repeat(Math.ceil(length / piece.length)).slice(0, length) + text.slice(at);
};

const remove: Change = (text, dice) => {
  const at = dice.below(text.length);
  return text.slice(0, at) + text.slice(at + 1 + dice.below(20));
};

const repeat: Change = (text, dice) => {
  const at = dice.below(text.length);
  const part = text.slice(at, at + 1 + dice.below(40));
  const room = Math.max(0, LONGEST - text.length);
  return text.slice(0, at) + part.repeat(dice.below(Math.floor(room / part.length) + 1)) + text.slice(at);
};

const replace: Change = (text, dice) => {
  const at = dice.below(text.length);
  return text.slice(0, at) + String.fromCharCode(dice.below(256)) + text.slice(at + 1);
};

const CHANGES: readonly (readonly [weight: number, change: Change])[] = [
  [5, stretch],
  [1, remove],
  [2, repeat],
  [2, replace],
];

/** A request with up to three changes, as text of at most 16,000 characters with one byte each. */
export function mutated(request: string, dice: Dice): string {
  let text = request;
  for (let change = dice.below(MOST_CHANGES); change >= 0; change -= 1)
    text = dice.weigh(CHANGES)(text, dice);
  return text.slice(0, LONGEST);
}
