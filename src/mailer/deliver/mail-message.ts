import type { SendMailOptions } from 'nodemailer';
import { asciiDomainOf, isDeliverable, isSender } from '../mail-address.ts';
import { printableText, webAddress } from '../render/mail-text.ts';
import type { AttemptOutcome } from './deliveries.ts';

export interface MailMessage {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  /** The envelope sender, which is the address to which bounces are sent; null to use the sender's address. */
  readonly returnPath: string | null;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  /** The Message-ID in angle brackets. It is the same at each attempt. */
  readonly messageId: string;
  /** Date of the mail (epoch milliseconds). */
  readonly date: number;
  /** The URL that unsubscribes when it receives a POST request (RFC 8058); null for a confirmation mail. */
  readonly unsubscribeUrl: string | null;
}

/** Sends mails to an SMTP server or writes them into the outbox folder. */
export interface MailTransport {
  readonly connections: number;
  /** Never rejects. */
  send(message: MailMessage): Promise<AttemptOutcome>;
  close(): Promise<void>;
}

const MESSAGE_ID = /^<[!-;=?A-~]+@[!-;=?A-~]+>$/;

/** This encoding produces ASCII lines of at most 76 characters, which no mail server changes. */
const ENCODING = 'quoted-printable';

/** Headers of a list: one-click unsubscribe (RFC 8058) and its name (RFC 2919), which prevents automatic replies. */
function listHeaders(unsubscribeUrl: string, senderDomain: string): Record<string, string> {
  return {
    'List-Id': `<weekly-signal.${senderDomain}>`,
    'List-Unsubscribe': `<${webAddress(unsubscribeUrl)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

/**
 * Returns nodemailer's options for a mail to one recipient. SMTP and the outbox use the same options. The mail is
 * ASCII, unless the address is not. Throws if an address, a link or the Message-ID is invalid.
 */
export function composeMessage(message: MailMessage): SendMailOptions {
  const { from, to, subject, html, text, messageId, date, unsubscribeUrl } = message;
  const returnPath = message.returnPath ?? from.address;
  if (!isDeliverable(to)) throw new Error('This address cannot receive mail.');
  if (!isSender(from.address))
    throw new Error('The sender of a mail must be one address. Correct MAIL_FROM.');
  if (!isSender(returnPath))
    throw new Error('The return path is not an address. Correct MAIL_BOUNCE_ADDRESS.');
  if (!MESSAGE_ID.test(messageId)) throw new Error('The Message-ID of a mail must be in angle brackets.');
  return {
    // Each address is an object, because nodemailer parses a text as a list of addresses. The server gets the addresses
    // in `envelope`, not these.
    from: { name: printableText(from.name), address: from.address },
    to: { name: '', address: to },
    envelope: { from: returnPath, to: [to] },
    subject: printableText(subject),
    messageId,
    date: new Date(date),
    headers: {
      // Prevents automatic replies (RFC 3834).
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
