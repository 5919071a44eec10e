import type { Ordering } from './dialect.ts';
import { readList, readName, sharedLength } from './names.ts';
import { unparsable } from './refusal.ts';

const WHAT = 'order';
const DIRECTIONS = ['asc', 'desc'] as const;
const NULLS = { nullsfirst: 'first', nullslast: 'last' } as const;
const NULLS_EXPECTED = '"nullsfirst" or "nullslast"';
const NULLS_WORDS = ['nullsfirst', 'nullslast'] as const;

function wordAt<Word extends string>(words: readonly Word[], text: string, start: number): Word | undefined {
  return words.find((word) => text.startsWith(word, start));
}

function readOrdering(text: string, start: number): { item: Ordering; end: number } {
  const { name: column, end } = readName(WHAT, text, start);
  if (text.charAt(end) !== '.') return { item: { column }, end };
  const direction = wordAt(DIRECTIONS, text, end + 1);
  const afterDirection = direction === undefined ? end : end + 1 + direction.length;
  if (text.charAt(afterDirection) !== '.') {
    return { item: { column, ...(direction && { direction }) }, end: afterDirection };
  }
  const nulls = wordAt(NULLS_WORDS, text, afterDirection + 1);
  if (nulls === undefined) {
    const expecting = direction === undefined ? '"asc", "desc", "nullsfirst" or "nullslast"' : undefined;
    const first = direction === undefined ? 'asc' : 'nullsfirst';
    const at = afterDirection + 1;
    throw unparsable(WHAT, text, at, expecting ?? NULLS_EXPECTED, at + sharedLength(first, text.slice(at)));
  }
  const item = { column, ...(direction && { direction }), nulls: NULLS[nulls] };
  return { item, end: afterDirection + 1 + nulls.length };
}

/** The orderings of an `order` parameter, `column[.asc|.desc][.nullsfirst|.nullslast]`. Throws `Refusal`. */
export function readOrder(text: string): Ordering[] {
  return readList(WHAT, text, (start) => readOrdering(text, start), '"," or end of input');
}
