/** Text between tags. */
export function inText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Text between double quotes. */
export function inAttribute(text: string): string {
  return inText(text).replaceAll('"', '&quot;');
}
