import { domainToASCII } from 'node:url';
import { foldAddress } from '#schema/email-address.ts';

/** The domain of an address in ASCII, as mail servers know it; '' if it is invalid. */
export function asciiDomainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1));
}

/**
 * The spelling in which the database stores an address (`mailer.plain_address`), for addresses outside of it: compatibility
 * characters as plain ones, lower case, no surrounding space, the domain in ASCII. Returns an invalid domain unchanged.
 */
export function plainAddress(address: string): string {
  const text = foldAddress(address);
  const domain = asciiDomainOf(text);
  return domain === '' ? text : text.slice(0, text.lastIndexOf('@') + 1) + domain;
}

const LONGEST = 320;
/** Separators, controls, invisible characters and those with a meaning in a header. */
const NEVER = /[\p{Z}\p{C}()<>[\],;:\\"]/u;

/** True if mail can be sent to this address. Old rows may hold anything. */
export function isDeliverable(address: string): boolean {
  const [local = '', domain = '', ...more] = address.split('@');
  if (local === '' || more.length > 0 || address.length > LONGEST || NEVER.test(address)) return false;
  return /[^.]\.[^.]/.test(domain) && domainToASCII(domain) !== '';
}

const LONGEST_SENDER = 254;
/** ASCII before the '@', which every server accepts; unlike a subscriber's, the domain may be 'localhost'. */
const SENDER = /^[!-?A-~]+@(?:localhost|(?:[^\s@.]+\.)+[^\s@.]+)$/;

/** True if mail can be sent from this address. */
export function isSender(address: string): boolean {
  const isWritable = SENDER.test(address) && !NEVER.test(address) && asciiDomainOf(address) !== '';
  return isWritable && address.length <= LONGEST_SENDER;
}
