// Control characters, marks that cannot be seen or turn the text around them, halves of a character, line separators.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
const NOT_ASCII = /[^\x20-\x7e]/g;
/** Length of a quoted value. */
const LONGEST = 24;

/** A value from outside as messages quote it: its first characters, `?` for each that is not printable ASCII. */
export function shown(value: unknown, longest = LONGEST): string {
  const text = typeof value === 'object' ? 'an object' : String(value);
  return text.slice(0, longest).replace(NOT_ASCII, '?');
}

/** Text that a terminal, a log and a column of the database can take: `?` for each character that cannot be seen. */
export function printable(text: string): string {
  return text.replace(UNSEEN, '?');
}

/** JSON whose texts are printable. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? printable(part) : part));
}
