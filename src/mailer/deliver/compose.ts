import type { SendMailOptions } from 'nodemailer';
import { asciiDomainOf, isDeliverable, isSender } from '../mail-address.ts';
import { printableText, webAddress } from '../render/mail-text.ts';
import type { MailMessage } from './transport.ts';

const MESSAGE_ID = /^<[!-;=?A-~]+@[!-;=?A-~]+>$/;

/** Produces ASCII lines of at most 76 characters, which no server changes. */
const ENCODING = 'quoted-printable';

/**
 * Headers of a mailing list: one-click unsubscribe (RFC 8058) and the list's name (RFC 2919), which stops automatic
 * replies (RFC 5230). `Precedence` is left out, because no standard defines it.
 */
function listHeaders(unsubscribeUrl: string, senderDomain: string): Record<string, string> {
  return {
    'List-Id': `<weekly-signal.${senderDomain}>`,
    'List-Unsubscribe': `<${webAddress(unsubscribeUrl)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

/**
 * Returns nodemailer's options for a mail to one recipient, for SMTP and the outbox. The mail is ASCII unless the address
 * is not. Throws if an address, a link or the Message-ID is invalid.
 */
export function composeMessage(message: MailMessage): SendMailOptions {
  const { from, to, subject, html, text, messageId, date, unsubscribeUrl } = message;
  if (!isDeliverable(to)) throw new Error('This address cannot receive mail.');
  if (!isSender(from.address))
    throw new Error('The sender of a mail must be one address. Correct MAIL_FROM.');
  if (!MESSAGE_ID.test(messageId)) throw new Error('A Message-ID must be in angle brackets.');
  return {
    // Nodemailer parses a text as a list of addresses, but not an object. With an envelope it ignores the headers.
    from: { name: printableText(from.name), address: from.address },
    to: { name: '', address: to },
    envelope: { from: from.address, to: [to] },
    subject: printableText(subject),
    messageId,
    date: new Date(date),
    headers: {
      // RFC 3834: prevents automatic replies.
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
