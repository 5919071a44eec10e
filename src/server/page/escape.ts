export function inText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

export function escapeAttribute(text: string): string {
  return inText(text).replaceAll('"', '&quot;');
}

/** Encodes a value as JSON for a script element. No text in the value can end the element or begin a comment. */
export function encodeScriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
