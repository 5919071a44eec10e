/** Matches a sequence of white space, line breaks and control characters. */
const SPACE = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Matches invisible characters that change the text around them: direction marks, joiners, tags, lone surrogates. */
const INVISIBLE =
  /\u034f|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]/gu;

/**
 * Returns a text in a form that is safe in a mail: one line, without invisible characters and without characters that
 * change the direction.
 */
export function printableText(text: string): string {
  return text.replace(INVISIBLE, '').replace(SPACE, ' ').trim();
}

/** Returns a copy of plain data in which `printableText` was applied to every text. */
export function printable<T>(data: T): T {
  if (typeof data === 'string') return printableText(data) as T;
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) return data.map(printable) as T;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, printable(value)])) as T;
}

const PROTOCOLS = ['http:', 'https:'];

/** Returns an absolute http(s) URL in ASCII. Throws if the text is not such a URL. */
export function webAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !PROTOCOLS.includes(url.protocol)) {
    throw new Error('A link in a mail must be an absolute http(s) URL.');
  }
  return url.href;
}

/** Returns a URL without its scheme, such as 'barometer.example' or 'example.org/markets'. */
export function displayAddress(address: string): string {
  const { host, pathname } = new URL(webAddress(address));
  return `${host}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}
