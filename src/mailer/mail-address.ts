import { domainToASCII } from 'node:url';
import { foldAddress } from '#schema/parse.ts';

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
