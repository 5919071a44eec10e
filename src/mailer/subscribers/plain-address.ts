import { domainToASCII } from 'node:url';

/**
 * The one spelling of an address that mail to it has: without space around it, in small letters, its domain in ASCII, by
 * which full-width letters and dots are plain ones, too.
 */
export function plainAddress(address: string): string {
  const text = address.trim().toLowerCase();
  const at = text.lastIndexOf('@') + 1;
  const domain = text.slice(at);
  return text.slice(0, at) + (domainToASCII(domain) || domain);
}
