import { domainToASCII } from 'node:url';
import { asciiDomainOf } from '../plain-address.ts';

const LONGEST = 320;
/** Separators, controls, invisible characters and what a header gives a meaning to. */
const NEVER = /[\p{Z}\p{C}()<>[\],;:\\"]/u;

/** Whether mail can be addressed to this at all; rows older than the rules for new ones may hold anything. */
export function isDeliverable(address: string): boolean {
  const [local = '', domain = '', ...more] = address.split('@');
  if (local === '' || more.length > 0 || address.length > LONGEST || NEVER.test(address)) return false;
  return /[^.]\.[^.]/.test(domain) && domainToASCII(domain) !== '';
}

const LONGEST_SENDER = 254;
/** Before the '@' in ASCII, so that every server takes it; the domain may be 'localhost', which no subscriber's may. */
const SENDER = /^[!-?A-~]+@(?:localhost|(?:[^\s@.]+\.)+[^\s@.]+)$/;

/** Whether mails can be from this. */
export function isSender(address: string): boolean {
  const isWritable = SENDER.test(address) && !NEVER.test(address) && asciiDomainOf(address) !== '';
  return isWritable && address.length <= LONGEST_SENDER;
}
