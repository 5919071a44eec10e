/** Escapes text between tags. */
export function inText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Escapes text between double quotes. */
export function inAttribute(text: string): string {
  return inText(text).replaceAll('"', '&quot;');
}

/** Encodes a value as JSON for a script element: no text in it can end the element or open a comment. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
