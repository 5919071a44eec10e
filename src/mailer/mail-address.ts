import { domainToASCII } from 'node:url';
import { foldAddress } from '#schema/email-address.ts';

/** The domain of an address in ASCII (IDNA); '' if it is invalid. */
export function asciiDomainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1));
}

/**
 * Normalises an address as the database does (`mailer.plain_address`): compatibility characters become plain ones, lower
 * case, no surrounding space, domain in ASCII. Leaves an invalid domain unchanged.
 */
export function plainAddress(address: string): string {
  const text = foldAddress(address);
  const domain = asciiDomainOf(text);
  return domain === '' ? text : text.slice(0, text.lastIndexOf('@') + 1) + domain;
}

const MAX_LENGTH = 320;
/** Separators, control characters, invisible characters and characters with a meaning in a header. */
const FORBIDDEN = /[\p{Z}\p{C}()<>[\],;:\\"]/u;

/** True if mail can be sent to this address. Rows from before the database checked addresses may have any text. */
export function isDeliverable(address: string): boolean {
  const [local = '', domain = '', ...more] = address.split('@');
  if (local === '' || more.length > 0 || address.length > MAX_LENGTH || FORBIDDEN.test(address)) return false;
  return /[^.]\.[^.]/.test(domain) && domainToASCII(domain) !== '';
}

const MAX_SENDER_LENGTH = 254;
/** ASCII before the '@', which every server accepts; unlike a subscriber's, the domain may be 'localhost'. */
const SENDER = /^[!-?A-~]+@(?:localhost|(?:[^\s@.]+\.)+[^\s@.]+)$/;

/** True if mail can be sent from this address. */
export function isSender(address: string): boolean {
  const isValid = SENDER.test(address) && !FORBIDDEN.test(address) && asciiDomainOf(address) !== '';
  return isValid && address.length <= MAX_SENDER_LENGTH;
}
