import { checkListLength, readList, readName } from './names.ts';
import type { Table } from './tables.ts';

const SELECT_ITEM = '"...", field name (* or [a..z0..9_$]), "*" or "count()"';

function readNames(what: string, text: string, itemExpecting?: string): string[] {
  return readList(
    what,
    text,
    (start) => {
      const star = /^ *\* */.exec(text.slice(start));
      if (star !== null && itemExpecting !== undefined) return { item: '*', end: start + star[0].length };
      const { name, end } = readName(what, text, start, itemExpecting);
      return { item: name, end };
    },
    'letter, digit, "-", "," or end of input',
  );
}

/** The names of a `select` parameter, `*` spelt out; whether the table has them is not looked at. */
export function readSelect(table: Table, text: string): string[] {
  const all = [...table.columns.keys()];
  if (text === '') return all;
  const names = readNames('select parameter', text, SELECT_ITEM).flatMap((name) =>
    name === '*' ? all : [name],
  );
  // Every star is a whole row again: a short text would ask for an endless one.
  checkListLength('select parameter', names.length);
  return names;
}

/** The names of a `columns` parameter, each once; whether the table has them is not looked at. */
export function readColumns(text: string): string[] {
  return [...new Set(readNames('columns parameter', text))];
}
