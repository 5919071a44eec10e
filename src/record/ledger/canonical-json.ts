/** A value that JSON can represent. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

function canonicalText(text: string): string {
  if (/\p{Surrogate}/u.test(text))
    throw new TypeError('A text with half a surrogate pair has no canonical JSON form.');
  return JSON.stringify(text);
}

/**
 * Returns the canonical form of a value (RFC 8785): no spaces, names sorted by UTF-16 code unit, numbers and texts as
 * in ECMAScript. Equal values have equal forms. Throws TypeError for a number that is not finite and for a surrogate
 * that is not part of a pair.
 */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return canonicalText(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical JSON form.`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${canonicalText(name)}:${canonicalJson(member)}`).join(',')}}`;
}
