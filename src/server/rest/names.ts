import { REST_LIMITS } from './dialect.ts';
import { Refusal, unparsable } from './refusal.ts';

const FIELD_NAME = 'field name (* or [a..z0..9_$])';
const PLAIN_NAME = /[\p{L}\d_$ -]+/uy;
const QUOTED_NAME = / *"((?:[^"\\]|\\.)*)" */sy;
const QUOTE = / *"/y;

/** How many letters two texts begin with alike. */
export function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charAt(length) === other.charAt(length)) length += 1;
  return length;
}

/** A name and where the text goes on after it. */
export interface ReadName {
  readonly name: string;
  readonly end: number;
}

/** Reads a plain or `"quoted"` name at `start`. Throws `Refusal` where there is none. */
export function readName(what: string, text: string, start: number, expecting = FIELD_NAME): ReadName {
  QUOTED_NAME.lastIndex = start;
  const quoted = QUOTED_NAME.exec(text);
  if (quoted !== null) {
    return { name: (quoted[1] ?? '').replaceAll(/\\(.)/gs, '$1'), end: QUOTED_NAME.lastIndex };
  }
  QUOTE.lastIndex = start;
  if (QUOTE.test(text)) throw unparsable(what, text, text.length, '"\\\\" or "\\""');
  PLAIN_NAME.lastIndex = start;
  const name = PLAIN_NAME.exec(text)?.[0].trim() ?? '';
  if (name === '') throw unparsable(what, text, start, expecting);
  return { name, end: PLAIN_NAME.lastIndex };
}

/** Refuses a list that is longer than any honest request's. */
export function checkListLength(what: string, length: number, most: number = REST_LIMITS.listItems): void {
  if (length <= most) return;
  throw new Refusal({
    status: 400,
    code: 'PGRST100',
    message: `"failed to parse ${what}" (line 1, column 1)`,
    details: `A list may have at most ${most} items.`,
  });
}

/** Reads names separated by commas, each by `readItem`, up to the end of the text. */
export function readList<Item>(
  what: string,
  text: string,
  readItem: (start: number) => { item: Item; end: number },
  expecting: string,
): Item[] {
  const items: Item[] = [];
  for (let at = 0; ; at += 1) {
    const { item, end } = readItem(at);
    items.push(item);
    checkListLength(what, items.length);
    if (end >= text.length) return items;
    if (text.charAt(end) !== ',') throw unparsable(what, text, end, expecting);
    at = end;
  }
}
