import { domainToASCII } from 'node:url';

/** The domain of an address in ASCII, as mail servers know it; '' where it is none. */
export function asciiDomainOf(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf('@') + 1));
}

/**
 * The one spelling of an address that mail to it has: without space around it, in small letters, its domain in ASCII, by
 * which full-width letters and dots are plain ones, too.
 */
export function plainAddress(address: string): string {
  const text = address.trim().toLowerCase();
  const domain = asciiDomainOf(text);
  return domain === '' ? text : text.slice(0, text.lastIndexOf('@') + 1) + domain;
}
