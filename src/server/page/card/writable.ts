// The letters the font of the picture has, beside its signs.
const WRITABLE =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\u0020-\u007e\u00a1-\u00ff\u2010-\u2026€™]/gu;

/** What of a name the picture's font can write; the rest is left out rather than drawn as empty boxes. */
export function writable(name: string): string {
  return name.normalize('NFC').replace(WRITABLE, '').replace(/ +/g, ' ').trim();
}
