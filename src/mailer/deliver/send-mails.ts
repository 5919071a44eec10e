import type { SendMailOptions } from 'nodemailer';
import { type Database, queryOnce, READ_ONLY, readOnce } from '#database/port.ts';
import { readCheckpoint } from '#record/ledger/served-ledger.ts';
import type { MailSettings } from '../mailer-settings.ts';
import { completeMail, type RenderedMail } from '../render/mail-page.ts';
import { renderConfirmation } from '../render/render-confirmation.ts';
import { asciiDomainOf, isDeliverable, isSender, printable, webAddress } from '../safe-text.ts';
import { makeReturnPath, makeToken, messageIdOf, type TokenPurpose } from '../subscribers/token.ts';
import type { AttemptOutcome, ClaimedDelivery, Message } from './deliveries.ts';
import type { Sender } from './send-due.ts';

/** A mail to one recipient. */
export interface MailMessage extends RenderedMail {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  /** The envelope sender, which is the address to which bounces are sent. */
  readonly returnPath: string;
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
  /** Rejects only if the mail is invalid. */
  send(message: MailMessage): Promise<AttemptOutcome>;
  close(): Promise<void>;
}

interface MailSenderOptions {
  readonly database: Database;
  readonly settings: MailSettings;
  readonly signingKey: Uint8Array;
  readonly now: () => number;
  readonly transport: MailTransport;
}

/** Creates the sender of the mails of one run. Reads the checkpoint of the ledger once. */
export function createMailSender(options: MailSenderOptions): Sender {
  const { database, settings, signingKey, now, transport } = options;
  const { publicUrl, from, bounceAddress } = settings;
  const domain = asciiDomainOf(from.address);
  let checkpoint: Promise<string | null> | undefined;

  /** Makes the mail of a delivery from the stored mail for all, or from a confirmation request without content. */
  async function mailOf(delivery: ClaimedDelivery, { name, content }: Message): Promise<MailMessage> {
    const reference = delivery.reference ?? '';
    const linkFor = (purpose: TokenPurpose) =>
      `${publicUrl}/${purpose}/${makeToken(signingKey, purpose, reference)}`;
    const envelope = {
      ...{ from, to: delivery.recipient, date: now() },
      returnPath:
        bounceAddress === null ? from.address : makeReturnPath(signingKey, bounceAddress, reference),
      messageId: messageIdOf(signingKey, { issue: name, reference, domain }),
    };
    if (content === null) {
      const mail = renderConfirmation(settings, linkFor('confirm'));
      return { ...envelope, ...mail, unsubscribeUrl: null };
    }
    const unsubscribeUrl = linkFor('unsubscribe');
    checkpoint ??= database.transaction(readCheckpoint, READ_ONLY);
    const mail = completeMail(content as RenderedMail, { unsubscribeUrl, checkpoint: await checkpoint });
    return { ...envelope, ...mail, unsubscribeUrl };
  }

  return {
    channel: 'mail',
    connections: transport.connections,
    refusal: () => outboxFault(database, settings.smtpUrl),
    send: async (delivery, message) =>
      isDeliverable(delivery.recipient)
        ? transport.send(await mailOf(delivery, message))
        : { result: 'refused', reply: null, isAddress: true },
  };
}

const MESSAGE_ID = /^<[!-;=?A-~]+@[!-;=?A-~]+>$/;

/** This encoding produces ASCII lines of at most 76 characters, which no mail server changes. */
const ENCODING = 'quoted-printable';

/**
 * Returns nodemailer's options for a mail. SMTP and the outbox use the same options. The mail is ASCII, unless the
 * address is not. Throws if an address, a link or the Message-ID is invalid.
 */
export function composeMessage(message: MailMessage): SendMailOptions {
  const { from, to, returnPath, subject, html, text, messageId, date, unsubscribeUrl } = message;
  if (!isDeliverable(to)) throw new Error('This address cannot receive mail.');
  if (!isSender(from.address))
    throw new Error('The sender of a mail must be one address. Correct MAIL_FROM.');
  if (!isSender(returnPath))
    throw new Error('The return path is not an address. Correct MAIL_BOUNCE_ADDRESS.');
  if (!MESSAGE_ID.test(messageId)) throw new Error('The Message-ID of a mail must be in angle brackets.');
  return {
    // Each address is an object, because nodemailer parses a text as a list of addresses. The server gets the addresses
    // in `envelope`, not these.
    from: { name: printable(from.name), address: from.address },
    to: { name: '', address: to },
    envelope: { from: returnPath, to: [to] },
    subject: printable(subject),
    messageId,
    date: new Date(date),
    headers: {
      // Prevents automatic replies (RFC 3834).
      'Auto-Submitted': 'auto-generated',
      // The name of a list (RFC 2919) prevents automatic replies. The others are for one-click unsubscribe (RFC 8058).
      ...(unsubscribeUrl !== null && {
        'List-Id': `<weekly-signal.${asciiDomainOf(from.address)}>`,
        'List-Unsubscribe': `<${webAddress(unsubscribeUrl)}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    text: { content: text, contentTransferEncoding: ENCODING },
    html: { content: html, contentTransferEncoding: ENCODING },
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const NEEDS_SMTP =
  'SMTP_URL is not set here, but another process sends the mails of this database by SMTP. Set SMTP_URL to the same value here.';

/** Permits processes without SMTP_URL to fill their outbox again, until a process with SMTP_URL sends. */
export async function returnToOutbox(database: Database): Promise<void> {
  await queryOnce(database, 'update mailer.settings set sends_by_smtp = false');
}

/** The reason why this process must not send, or null. None may fill its outbox while another sends by SMTP. */
async function outboxFault(database: Database, smtpUrl: string | null): Promise<string | null> {
  if (smtpUrl !== null) {
    await queryOnce(database, 'update mailer.settings set sends_by_smtp = true where not sends_by_smtp');
    return null;
  }
  const [settings] = await readOnce<{ by_smtp: boolean }>(
    database,
    'select sends_by_smtp as by_smtp from mailer.settings',
  );
  return settings?.by_smtp ? NEEDS_SMTP : null;
}
