import { COMPARISONS, type Comparison, type Operation, TRUTHS } from './dialect.ts';
import { checkListLength, sharedLength } from './names.ts';
import { unparsable } from './refusal.ts';

const WHAT = 'filter';
const OPERATOR = 'operator (eq, gt, ...)';
// Longest first: gte is not gt followed by an e.
const OPERATORS = [...(Object.keys(COMPARISONS) as Comparison[]), 'in' as const, 'is' as const].sort(
  (one, other) => other.length - one.length,
);
const QUOTED_VALUE = /"((?:[^"\\]|\\.)*)"(?=[,)]|$)/sy;
const PLAIN_VALUE = /[^,)]*/sy;

function readTruth(text: string, start: number): (typeof TRUTHS)[number] {
  const rest = text.slice(start).toLowerCase();
  const truth = TRUTHS.find((word) => rest.startsWith(word));
  if (truth !== undefined) return truth;
  const reached = Math.max(...TRUTHS.map((word) => sharedLength(word, rest)));
  throw unparsable(WHAT, text, start + reached, 'null or trilean value (unknown, true, false)');
}

/** Where the text goes on after spaces. */
function indexOfText(text: string, start: number): number {
  return text.length - text.slice(start).trimStart().length;
}

/** Values of `(a,"b,c",d)`; an empty list and a list of one empty value are both no values, as PostgREST has it. */
function readValues(text: string, start: number): string[] {
  const open = indexOfText(text, start);
  if (text.charAt(open) !== '(') throw unparsable(WHAT, text, open, '"("');
  const values: string[] = [];
  for (let at = indexOfText(text, open + 1); ; at += 1) {
    QUOTED_VALUE.lastIndex = at;
    PLAIN_VALUE.lastIndex = at;
    const quoted = QUOTED_VALUE.exec(text);
    const plain = PLAIN_VALUE.exec(text);
    values.push(quoted === null ? (plain?.[0] ?? '') : (quoted[1] ?? '').replaceAll(/\\(.)/gs, '$1'));
    checkListLength(WHAT, values.length);
    at = quoted === null ? PLAIN_VALUE.lastIndex : QUOTED_VALUE.lastIndex;
    if (text.charAt(at) === ')') break;
    if (at >= text.length) throw unparsable(WHAT, text, at, '"," or ")"');
  }
  return values.length === 1 && values[0] === '' ? [] : values;
}

/** The text of a filter, `[not.]operator.value`. Throws `Refusal`. */
export function readOperation(text: string): Operation {
  const negated = text.startsWith('not');
  if (negated && text.charAt(3) !== '.') throw unparsable(WHAT, text, 3, 'delimiter (.)');
  const start = negated ? 4 : 0;
  const operator = OPERATORS.find((name) => text.startsWith(name, start));
  if (operator === undefined)
    throw unparsable(WHAT, text, start, negated ? OPERATOR : `"not" or ${OPERATOR}`);
  const end = start + operator.length;
  if (text.charAt(end) !== '.') throw unparsable(WHAT, text, end, OPERATOR);
  const rest = end + 1;
  if (operator === 'in') return { negated, operator, values: readValues(text, rest) };
  if (operator === 'is') return { negated, operator, value: readTruth(text, rest) };
  return { negated, operator, value: text.slice(rest) };
}
