import type { SendMailOptions } from 'nodemailer';
import { asciiDomainOf } from '../plain-address.ts';
import { printableText } from '../render/printable.ts';
import { webAddress } from '../render/web-address.ts';
import { isDeliverable, isSender } from './deliverable.ts';
import type { MailMessage } from './message.ts';

const MESSAGE_ID = /^<[!-;=?A-~]+@[!-;=?A-~]+>$/;

/** Lines of any length become ones of 76 characters of ASCII, which every server passes on as they are. */
const ENCODING = 'quoted-printable';

/**
 * What makes the mail one of a list: where a bare POST unsubscribes (RFC 8058), and the list's name (RFC 2919), by
 * which clients sort and automatic answers know not to answer (RFC 5230); so no `Precedence`, which no standard has.
 */
function listHeaders(unsubscribeUrl: string, senderDomain: string): Record<string, string> {
  return {
    'List-Id': `<weekly-signal.${senderDomain}>`,
    'List-Unsubscribe': `<${webAddress(unsubscribeUrl)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

/**
 * A mail as nodemailer takes it, for SMTP and for the outbox alike: to one recipient, its headers complete and in
 * ASCII unless the address is not. Throws where an address, a link or the Message-ID is none.
 */
export function composeMessage(message: MailMessage): SendMailOptions {
  const { from, to, subject, html, text, messageId, date, unsubscribeUrl } = message;
  if (!isDeliverable(to)) throw new Error('This address cannot receive mail.');
  if (!isSender(from.address)) throw new Error('The sender of a mail has to be one address.');
  if (!MESSAGE_ID.test(messageId)) throw new Error('A Message-ID stands in angle brackets.');
  return {
    // As objects, which are never read as a list; the envelope besides, so that no header decides where it goes.
    from: { name: printableText(from.name), address: from.address },
    to: { name: '', address: to },
    envelope: { from: from.address, to: [to] },
    subject: printableText(subject),
    messageId,
    date: new Date(date),
    headers: {
      // RFC 3834: from a clock, not from a person; nothing is to answer by itself.
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribeUrl === null ? {} : listHeaders(unsubscribeUrl, asciiDomainOf(from.address))),
    },
    text: { content: text, contentTransferEncoding: ENCODING },
    html: { content: html, contentTransferEncoding: ENCODING },
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
