import { checkListLength, readList, readName } from './names.ts';

const SELECT_ITEM = '"...", field name (* or [a..z0..9_$]), "*" or "count()"';
/** How often a row may be asked for within itself, as `*,id` does in part. */
const TIMES_OVER = 2;
const STAR = / *\* */y;

function readItem(text: string, start: number): { item: string; end: number } {
  STAR.lastIndex = start;
  if (STAR.test(text)) return { item: '*', end: STAR.lastIndex };
  const { name, end } = readName('select parameter', text, start, SELECT_ITEM);
  return { item: name, end };
}

/** The names of a `select` parameter, with its stars; null for an empty one, which is all columns. Throws `Refusal`. */
export function readSelect(text: string): string[] | null {
  if (text === '') return null;
  const expecting = 'letter, digit, "-", "," or end of input';
  return readList('select parameter', text, (start) => readItem(text, start), expecting);
}

/** The names that were selected, of those that there are. Throws `Refusal` for more than any honest request asks for. */
export function spelledOut(selected: readonly string[] | null, all: readonly string[]): string[] {
  const names = (selected ?? ['*']).flatMap((name) => (name === '*' ? all : [name]));
  // Every name may stand again, and a star is a whole row: a short text would ask for megabytes.
  checkListLength('select parameter', names.length, TIMES_OVER * all.length);
  return names;
}

/**
 * The names of a list of columns, each once and sorted, which decides of several unknown ones the one that is told. As PostgREST
 * has it, the list ends where no comma follows. Throws `Refusal`.
 */
export function readColumns(parameter: 'columns' | 'on_conflict', text: string): string[] {
  const what = `${parameter} parameter`;
  const names = new Set<string>();
  for (let at = 0; ; at += 1) {
    const { name, end } = readName(what, text, at);
    names.add(name);
    checkListLength(what, names.size);
    if (text.charAt(end) !== ',') return [...names].sort();
    at = end;
  }
}
