import { domainToASCII } from 'node:url';
import { foldAddress } from '#schema/parse.ts';

const SPACE = /[\s\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Matches invisible characters that change the text around them: direction marks, joiners, tags, lone surrogates. */
const INVISIBLE =
  /\u034f|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\p{Cs}]/gu;

/** A copy of a text or of data. Each text is safe in a mail: one line, without invisible or direction-changing characters. */
export function printable<T>(data: T): T {
  if (typeof data === 'string') return data.replace(INVISIBLE, '').replace(SPACE, ' ').trim() as T;
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

/** Returns the domain of an address in ASCII (IDNA); '' if the domain is invalid. */
export function asciiDomainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1));
}

/** Normalizes an address like `mailer.plain_address` in the database. Leaves an invalid domain unchanged. */
export function plainAddress(address: string): string {
  const text = foldAddress(address);
  const domain = asciiDomainOf(text);
  return domain === '' ? text : text.slice(0, text.lastIndexOf('@') + 1) + domain;
}

const MAX_LENGTH = 320;
/** Matches separators, control characters, invisible characters and characters with a meaning in a header. */
const FORBIDDEN = /[\p{Z}\p{C}()<>[\],;:\\"]/u;

/** True if mail can be sent to this address, which an old row may hold from before the database checked. */
export function isDeliverable(address: string): boolean {
  const [local = '', domain = '', ...more] = address.split('@');
  if (local === '' || more.length > 0 || address.length > MAX_LENGTH || FORBIDDEN.test(address)) return false;
  return /[^.]\.[^.]/.test(domain) && domainToASCII(domain) !== '';
}

const MAX_SENDER_LENGTH = 254;
/** A sender: an ASCII name, which every server accepts, and a domain, which may be 'localhost'. */
const SENDER = /^[!-?A-~]+@(?:localhost|(?:[^\s@.]+\.)+[^\s@.]+)$/;

/** True if mail can be sent from this address. */
export function isSender(address: string): boolean {
  const isValid = SENDER.test(address) && !FORBIDDEN.test(address) && asciiDomainOf(address) !== '';
  return isValid && address.length <= MAX_SENDER_LENGTH;
}
