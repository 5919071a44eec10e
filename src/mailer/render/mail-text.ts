/** Runs of white space, line breaks and controls. */
const SPACE = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Invisible characters that change the text around them: direction marks, joiners, tags, lone surrogates. */
const INVISIBLE =
  /\u034f|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]/gu;

/** Text that is safe in a mail: one line, without hidden or direction-changing characters. */
export function printableText(text: string): string {
  return text.replace(INVISIBLE, '').replace(SPACE, ' ').trim();
}

/** A copy of plain data, every text in it printable. */
export function printable<T>(data: T): T {
  if (typeof data === 'string') return printableText(data) as T;
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) return data.map(printable) as T;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, printable(value)])) as T;
}

const PROTOCOLS = ['http:', 'https:'];

/** An absolute http(s) URL in ASCII. Throws for anything else. */
export function webAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !PROTOCOLS.includes(url.protocol)) {
    throw new Error('A link in a mail must be an absolute http(s) URL.');
  }
  return url.href;
}

/** A URL without its scheme: 'barometer.example', 'example.org/markets'. */
export function displayAddress(address: string): string {
  const { host, pathname } = new URL(webAddress(address));
  return `${host}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}
