// Matches control characters, invisible and direction marks, lone surrogates and line separators.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;
const NOT_ASCII = /[^\x20-\x7e]/g;
/** Length of a quoted value. */
const LONGEST = 24;

/** An outside value for a message: its first characters, `?` for each that is not printable ASCII. */
export function shown(value: unknown, longest = LONGEST): string {
  const text = typeof value === 'object' ? 'an object' : String(value);
  return text.slice(0, longest).replace(NOT_ASCII, '?');
}

/** Text that is safe in a terminal, a log and the database: `?` for each invisible character. */
export function printable(text: string): string {
  return text.replace(UNSEEN, '?');
}

/** JSON with printable strings. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? printable(part) : part));
}
