import { domainToASCII } from 'node:url';
import { foldAddress } from '#schema/email-address.ts';

/** The domain of an address in ASCII, as mail servers know it; '' where it is none. */
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
