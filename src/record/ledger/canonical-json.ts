/** A value that JSON can hold. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** Matches half of a surrogate pair without the other half. */
const LONE_SURROGATE = /\p{Surrogate}/u;

function canonicalText(text: string): string {
  if (LONE_SURROGATE.test(text))
    throw new TypeError('A text with half a surrogate pair has no canonical form.');
  return JSON.stringify(text);
}

/**
 * The canonical form of a value (RFC 8785): no spaces, names sorted by UTF-16 code unit, numbers and texts as ECMAScript
 * writes them. Equal values have equal texts. Throws TypeError for a number that is not finite and for half a surrogate pair.
 */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return canonicalText(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical form.`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${canonicalText(name)}:${canonicalJson(member)}`).join(',')}}`;
}
